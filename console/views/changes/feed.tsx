import { type ReactNode, useState } from 'react';
import type { ChangeDto } from '../../lib/api.js';
import { useAnswer } from '../../lib/queries.js';
import { Age } from '../../parts/age.js';
import { Empty, Shown } from '../../parts/conditions.js';
import { Commands, Id } from '../../parts/copy.js';
import { Section } from '../../parts/page.js';
import { type Column, Table } from '../../parts/table.js';
import { AccountLink } from '../orders/parts.js';

const columns: readonly Column<ChangeDto>[] = [
  { name: 'at', show: ({ time }) => <Age at={time} /> },
  { name: 'kind', show: ({ kind }) => kind.replaceAll('_', ' ') },
  { name: 'action', show: ({ action }) => action },
  { name: 'origin', show: ({ origin }) => origin },
  { name: 'account', show: ({ account_id }) => <AccountLink accountId={account_id} /> },
  {
    name: 'resource',
    show: ({ resource, provider }) => [provider, resource?.replaceAll('_', ' ')].filter(Boolean).join(' ') || '–',
  },
  { name: 'samples', number: true, show: ({ samples }) => samples?.count ?? '–' },
  { name: 'subject', show: ({ subject }) => <Id id={subject} /> },
];

/** The newest changes of the feed, one page at a time; read on request, because it may contain values. */
export function Feed(): ReactNode {
  const [isAsked, setAsked] = useState(false);
  return (
    <Section title="Feed" note="changes for other services, newest first">
      {isAsked ? (
        <Pages />
      ) : (
        <div className="line">
          <button type="button" onClick={() => setAsked(true)}>
            Read the feed
          </button>
          <span className="note">
            With the role reader the feed contains values, so the access log records the read.
          </span>
        </div>
      )}
    </Section>
  );
}

function Pages(): ReactNode {
  const [after, setAfter] = useState<string>();
  const options = { query: { order: 'newest' as const, limit: 100, ...(after === undefined ? {} : { after }) } };
  const answer = useAnswer('listChanges', options, { isOnRequest: true });
  const page = answer.data;
  return (
    <>
      <Shown query={answer} of="the feed" rows={6}>
        {page?.data.length === 0 ? (
          <Empty>There is no change here. Changes appear with the first data or sign-in.</Empty>
        ) : (
          <Table label="Changes" columns={columns} rows={page?.data ?? []} keyOf={({ id }) => id} />
        )}
      </Shown>
      <div className="line">
        {after !== undefined && (
          <button type="button" onClick={() => setAfter(undefined)}>
            Newest changes
          </button>
        )}
        <button
          type="button"
          disabled={!page || page.up_to_date || answer.isFetching}
          onClick={() => page && setAfter(page.next)}
        >
          Older changes
        </button>
        <Commands call="listChanges" options={options} />
      </div>
    </>
  );
}
