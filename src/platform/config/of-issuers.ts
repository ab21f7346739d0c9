/** A claim that is accepted in tokens of one issuer; without `issuer`, of all. */
export interface OfIssuer {
  readonly issuer?: string;
  readonly value: string;
}

/** Entries `ISSUER VALUE` count for tokens of that issuer, others for all tokens. */
export function ofIssuers(entries: readonly string[] = [], issuers: readonly string[] = []): OfIssuer[] {
  return entries.map((entry) => {
    const [, issuer = '', value = ''] = /^(\S+)\s+(.+)$/.exec(entry) ?? [];
    return issuers.includes(issuer) ? { issuer, value } : { value: entry };
  });
}
