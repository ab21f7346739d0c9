import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { AccessEntryDto } from '../../lib/api.js';
import { text } from '../../lib/filters.js';
import { useAnswer, useRows } from '../../lib/queries.js';
import { spanFilters } from '../../lib/span.js';
import { useFilters } from '../../lib/use-filters.js';
import { nothingIn } from '../../lib/words.js';
import { Instant, Nothing } from '../../parts/age.js';
import { Breaking } from '../../parts/breaking.js';
import { Failure, Loading } from '../../parts/conditions.js';
import { Commands, Copy, Id } from '../../parts/copy.js';
import { SpanFilter, TextFilter } from '../../parts/fields.js';
import { Page, Section } from '../../parts/page.js';
import { StateShape } from '../../parts/state.js';
import { type Column, ListTable } from '../../parts/table.js';

const filters = { account_id: text, actor: text, action: text, ...spanFilters };

const BEGUN = 102;

const columns: readonly Column<AccessEntryDto>[] = [
  { name: 'entry', number: true, show: ({ seq }) => seq },
  { name: 'at', show: ({ at }) => <Instant at={at} /> },
  { name: 'who', show: ({ actor, role }) => `${actor}${role === null ? '' : ` (${role})`}` },
  {
    name: 'what',
    wide: true,
    show: ({ action }) => (
      <code>
        <Breaking text={action} />
      </code>
    ),
  },
  {
    name: 'account',
    show: ({ account_id, account_ref }) =>
      account_id === null ? (
        <span className="muted">{account_ref === null ? 'none' : `number ${account_ref}, erased`}</span>
      ) : (
        <Link href={`/accounts/${encodeURIComponent(account_id)}`}>{account_id}</Link>
      ),
  },
  { name: 'target', show: (entry) => <Target entry={entry} /> },
  { name: 'reason', show: ({ reason }) => (reason === null ? <Nothing /> : <span className="brief">{reason}</span>) },
  { name: 'status', number: true, show: ({ status }) => (status === BEGUN ? 'started' : status) },
  { name: 'request', show: ({ request_id }) => <Copy text={request_id} name={`Copy the request id ${request_id}`} /> },
];

/** The access log, and whether its chain is intact. */
export default function AccessLog(): ReactNode {
  const [{ from: start, to: end, ...rest }, change] = useFilters(filters);
  const query = { ...rest, start, end };
  const list = useRows('listAccessLog', { query }, { every: false });
  return (
    <Page
      title="Access log"
      filters={
        <>
          <TextFilter label="account" value={query.account_id} onChange={(account_id) => change({ account_id })} />
          <TextFilter label="who" value={query.actor} onChange={(actor) => change({ actor })} />
          <TextFilter label="what" value={query.action} onChange={(action) => change({ action })} />
          <SpanFilter from={start} to={end} onChange={change} />
        </>
      }
      commands={<Commands call="listAccessLog" options={{ query }} />}
    >
      <Chain />
      <Section title="Entries" note="reading this page is recorded too; it does not update automatically">
        <ListTable
          label="Access log"
          columns={columns}
          list={list}
          keyOf={({ seq }) => String(seq)}
          empty={nothingIn('entry', query, 'Reads of values and operator actions are recorded.')}
        />
      </Section>
    </Page>
  );
}

function Chain(): ReactNode {
  const query = useAnswer('verifyAccessLog', undefined, { isOnRequest: true });
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading rows={1} of="the chain" />;
  const { intact, entries, last_seq, last_hash, broken_at, reason, unproven } = query.data;
  if (!intact) {
    return (
      <p className="notice failure" role="alert">
        <strong>
          The chain is broken at entry {broken_at}: {reason?.replaceAll('_', ' ')}.
        </strong>
        The table was altered. See docs/runbook.md#access_log_broken.
      </p>
    );
  }
  return (
    <p className="line">
      <StateShape state="received" />
      <span>
        Log intact: {entries.toLocaleString('en')} entries verified
        {unproven.length > 0 ? ', but a removal is unsigned' : ''}.
      </span>
      {last_hash !== null && (
        <Copy
          text={`${last_seq} ${last_hash}`}
          label="checkpoint"
          name="Copy checkpoint: number and hash of the last entry"
        />
      )}
    </p>
  );
}

/** The resource, or the kind and id of what was read or changed. */
function Target({ entry: { resource, target } }: { readonly entry: AccessEntryDto }): ReactNode {
  const [kind = '', ...id] = (target ?? '').split(':');
  if (kind === '' || kind === 'resource')
    return resource === '*' ? 'all' : (resource?.replaceAll('_', ' ') ?? <Nothing />);
  return (
    <>
      {kind.replaceAll('-', ' ')} {id.length > 0 && <Id id={id.join(':')} />}
    </>
  );
}
