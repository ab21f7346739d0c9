import './messages.css';
import { type ReactNode, useMemo, useState } from 'react';
import { useLocation, useRoute, useSearch } from 'wouter';
import type { MessageDto } from '../../lib/api.js';
import { oneOf, text, withFilters } from '../../lib/filters.js';
import { messageStatuses, stateOfMessage } from '../../lib/message-states.js';
import { useAnswer, useRows } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { spanFilters } from '../../lib/span.js';
import { useFilters } from '../../lib/use-filters.js';
import { nothingIn } from '../../lib/words.js';
import { Age, Nothing } from '../../parts/age.js';
import { EventName } from '../../parts/breaking.js';
import { Shown } from '../../parts/conditions.js';
import { Commands, Id } from '../../parts/copy.js';
import { Choice, SpanFilter, TextFilter } from '../../parts/fields.js';
import { Page, Section } from '../../parts/page.js';
import { StateMark } from '../../parts/state.js';
import { type Column, ListTable } from '../../parts/table.js';
import { Message } from './message.js';
import { ReplayMatching, ReplaySelected } from './replay.js';
import { Replays, useReplays } from './replays.js';

const filters = {
  status: oneOf(messageStatuses),
  event_type: text,
  reason: text,
  account_id: text,
  ...spanFilters,
};

const columnsOfAll: readonly Column<MessageDto>[] = [
  { name: 'received', show: ({ received_at }) => <Age at={received_at} /> },
  { name: 'state', show: ({ status }) => <StateMark state={stateOfMessage(status)}>{status}</StateMark> },
  { name: 'event', wide: true, show: ({ event_type }) => <EventName of={event_type} /> },
  { name: 'reason', show: ({ reason }) => reason?.replaceAll('_', ' ') ?? <Nothing /> },
  {
    name: 'account',
    show: ({ account_id: id }) => <span className={id === null ? 'muted' : 'account'}>{id ?? 'none'}</span>,
  },
  { name: 'attempts', number: true, show: ({ attempts }) => attempts },
  { name: 'next attempt', show: ({ next_attempt_at }) => <Age at={next_attempt_at} /> },
  { name: 'message', show: ({ message_id }) => <Id id={message_id} /> },
];

/** Messages by filter and in groups by reason and type; an opened one is shown beside the list. */
export default function Messages(): ReactNode {
  const [query, change] = useFilters(filters);
  const [, params] = useRoute<{ id?: string }>('/messages/:id?');
  const [, navigate] = useLocation();
  const search = useSearch();
  const mayReplay = useMay('operator');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const list = useRows('listMessages', { query });
  const { account_id, ...matching } = query;
  const isBeside = params?.id !== undefined;
  // Waits for the replays, because they are shown above the list.
  const isMoving = useReplays().isPending;
  const columns = useMemo(
    () => (mayReplay ? [selection(selected, setSelected), ...columnsOfAll] : columnsOfAll),
    [mayReplay, selected],
  );
  return (
    <Page
      title="Messages"
      filters={
        <>
          <Choice
            label="state"
            value={query.status}
            values={messageStatuses}
            onChange={(status) => change({ status })}
          />
          <TextFilter label="event" value={query.event_type} onChange={(event_type) => change({ event_type })} />
          <TextFilter
            label="reason"
            value={query.reason}
            onChange={(reason) => change({ reason: reason?.replaceAll(' ', '_') })}
          />
          <TextFilter label="account" value={query.account_id} onChange={(id) => change({ account_id: id })} />
          <SpanFilter from={query.from} to={query.to} onChange={change} />
        </>
      }
      commands={<Commands call="listMessages" options={{ query }} />}
    >
      <Groups
        query={matching}
        hidden={account_id !== undefined}
        onChoose={({ status, event_type, reason }) =>
          change({ status, event_type: event_type ?? undefined, reason: reason ?? undefined })
        }
      />
      {mayReplay && (
        <div className="line acts">
          <ReplaySelected ids={[...selected]} onDone={() => setSelected(new Set())} />
          <ReplayMatching filter={matching} hidden={account_id !== undefined} />
        </div>
      )}
      <Replays />
      <div className="listed" hidden={isMoving}>
        <div className={isBeside ? 'beside' : undefined}>
          <ListTable
            label="Messages"
            columns={columns}
            list={list}
            keyOf={({ message_id }) => message_id}
            selected={params?.id}
            onOpen={({ message_id }) =>
              navigate(`/messages/${encodeURIComponent(message_id)}${withFilters(search, {})}`)
            }
            empty={nothingIn('message', query, 'Deliveries appear here as they arrive.')}
          />
          {params?.id !== undefined && (
            <Message key={params.id} id={params.id} onClose={() => navigate(`/messages${withFilters(search, {})}`)} />
          )}
        </div>
      </div>
    </Page>
  );
}

function selection(selected: ReadonlySet<string>, setSelected: (ids: ReadonlySet<string>) => void): Column<MessageDto> {
  return {
    name: 'select',
    show: ({ message_id, has_body }) => (
      <label className="tick">
        <input
          type="checkbox"
          aria-label={`Select ${message_id}`}
          disabled={!has_body}
          checked={selected.has(message_id)}
          onChange={() => {
            const next = new Set(selected);
            if (!next.delete(message_id)) next.add(message_id);
            setSelected(next);
          }}
        />
      </label>
    ),
  };
}

interface Group {
  readonly status: MessageDto['status'];
  readonly event_type: string | null;
  readonly reason: string | null;
}

const urgency: readonly MessageDto['status'][] = ['dead', 'retry', 'received', 'ignored', 'done'];

function worstFirst<G extends Group>(groups: readonly G[]): readonly G[] {
  return [...groups].sort((a, b) => urgency.indexOf(a.status) - urgency.indexOf(b.status));
}

function Groups({
  query,
  hidden,
  onChoose,
}: {
  readonly query: Omit<ReturnType<typeof useFilters<typeof filters>>[0], 'account_id'>;
  readonly hidden: boolean;
  readonly onChoose: (group: Group) => void;
}): ReactNode {
  const groups = useAnswer('listMessageGroups', { query }, { enabled: !hidden });
  if (hidden) return null;
  return (
    <Section
      title="Groups"
      note={groups.data && `newest matches by reason and event: ${groups.data.searched.toLocaleString('en')}`}
    >
      <Shown query={groups} of="the groups" rows={3}>
        <ul className="groups">
          {worstFirst(groups.data?.data ?? []).map(({ event_type, reason, status, count, last_received_at }) => (
            <li key={`${status} ${event_type} ${reason}`}>
              <button type="button" onClick={() => onChoose({ status, event_type, reason })}>
                <StateMark state={stateOfMessage(status)}>
                  <span className="number">{count.toLocaleString('en')}</span> <EventName of={event_type} />
                  {reason !== null && <span className="muted"> {reason.replaceAll('_', ' ')}</span>}
                </StateMark>
                <span className="note">
                  <Age at={last_received_at} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      </Shown>
    </Section>
  );
}
