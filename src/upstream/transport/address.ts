type Scalar = string | number | boolean;
export type Query = Readonly<Record<string, Scalar | readonly Scalar[] | null | undefined>>;

/** A value that cannot stand in an address or a header. Says which parameter, never what it was. */
export class NotSendable extends Error {
  constructor(readonly parameter: string) {
    super(`cannot be sent: ${parameter}`);
    this.name = 'NotSendable';
  }
}

function segment(name: string, value: string | undefined): string {
  // A dot segment would be resolved away and address another resource, escaped or not.
  if (value === undefined || value === '' || value === '.' || value === '..') throw new NotSendable(name);
  try {
    return encodeURIComponent(value);
  } catch {
    throw new NotSendable(name);
  }
}

/** Puts the values into `/v2/user/{user_id}`; each becomes exactly one path segment. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, values[name]));
}

/** `?a=1&b=x&b=y`: lists as repeated keys (docs/upstream/orders.md#list-of-orders), null and undefined left out. */
export function queryString(query: Query): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    for (const item of Array.isArray(value) ? (value as readonly Scalar[]) : [value as Scalar]) {
      pairs.append(name, String(item));
    }
  }
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}
