import { type ReactNode, useState } from 'react';
import type { LinkAttemptDto, LinkTokenDto } from '../../lib/api.js';
import { useAct, useRows } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { Age } from '../../parts/age.js';
import { Failure } from '../../parts/conditions.js';
import { Commands, Copy, Id } from '../../parts/copy.js';
import { type Column, ListTable } from '../../parts/table.js';

const attempts: readonly Column<LinkAttemptDto>[] = [
  { name: 'attempt', show: ({ link_attempt_id }) => <Id id={link_attempt_id} /> },
  { name: 'state', show: ({ state, confirmed }) => `${state}${confirmed ? ', confirmed by a connection' : ''}` },
  {
    name: 'provider',
    show: ({ connected_provider, provider }) => connected_provider ?? provider ?? 'chosen by the person',
  },
  { name: 'error', show: ({ error_type }) => error_type?.replaceAll('_', ' ') ?? '–' },
  { name: 'started', show: ({ created_at }) => <Age at={created_at} /> },
  { name: 'ended', show: ({ outcome_at }) => <Age at={outcome_at} /> },
];

/** Link attempts, and a link token for a person who asks for help. */
export function Tokens({ accountId }: { readonly accountId: string }): ReactNode {
  const query = { account_id: accountId };
  return (
    <>
      <Commands call="listLinkAttempts" options={{ query }} />
      <ListTable
        label="Link attempts"
        columns={attempts}
        list={useRows('listLinkAttempts', { query })}
        keyOf={({ link_attempt_id }) => link_attempt_id}
        empty="No link token was requested for this account."
      />
      <IssueLink accountId={accountId} />
    </>
  );
}

function IssueLink({ accountId }: { readonly accountId: string }): ReactNode {
  const issue = useAct('createLinkToken');
  const [issued, setIssued] = useState<LinkTokenDto | null>(null);
  if (!useMay('operator')) return null;
  const run = (): void =>
    issue.mutate({ path: { account_id: accountId }, body: {} }, { onSuccess: (token) => setIssued(token) });
  return (
    <div className="section">
      <div className="line">
        <button type="button" disabled={issue.isPending} onClick={run}>
          Issue a link token
        </button>
        <span className="note">Valid for one attempt within ten minutes. Give it only to this person.</span>
      </div>
      {issue.isError && <Failure error={issue.error} refused="No token was issued." />}
      {issued && (
        <p className="notice" role="status">
          Shown once: <Copy text={issued.link_web_url || issued.link_token} label="copy the link" />
        </p>
      )}
    </div>
  );
}
