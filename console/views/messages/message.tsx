import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { MessageDetailDto, MessageOutcomeDto } from '../../lib/api.js';
import { stateOfMessage } from '../../lib/message-states.js';
import { useAnswer } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { counted, plain } from '../../lib/words.js';
import { Age, Instant } from '../../parts/age.js';
import { EventName } from '../../parts/breaking.js';
import { Empty, Failure, Loading, Shown } from '../../parts/conditions.js';
import { Commands, Id } from '../../parts/copy.js';
import { Facts } from '../../parts/page.js';
import { StateMark } from '../../parts/state.js';
import { type Column, Table } from '../../parts/table.js';
import { Tree } from '../../parts/tree.js';
import { ReplayOne } from './replay.js';

/** One message. Its body is read on request, because the access log records that. */
export function Message({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactNode {
  const options = { path: { message_id: id }, query: { body: false } };
  const query = useAnswer('getMessage', options);
  return (
    <aside className="detail" aria-label="Message">
      <div className="line between">
        <h2>Message</h2>
        <Commands call="getMessage" options={options} />
        <button type="button" data-close onClick={onClose}>
          Close
        </button>
      </div>
      <Shown query={query} of="the message" rows={6}>
        {query.data && <Found message={query.data} />}
      </Shown>
    </aside>
  );
}

function Found({ message }: { readonly message: MessageDetailDto }): ReactNode {
  const mayReplay = useMay('operator');
  return (
    <>
      <Facts
        facts={[
          ['message', <Id key="id" id={message.message_id} whole />],
          [
            'state',
            <StateMark key="state" state={stateOfMessage(message.status)}>
              {message.status}
            </StateMark>,
          ],
          ['event', <EventName key="event" of={message.event_type} />],
          ['reason', message.reason?.replaceAll('_', ' ') ?? '–'],
          [
            'account',
            message.account_id === null ? (
              'none'
            ) : (
              <Link key="account" href={`/accounts/${encodeURIComponent(message.account_id)}`}>
                {message.account_id}
              </Link>
            ),
          ],
          ['sent', <Instant key="sent" at={message.sent_at} />],
          ['received', <Instant key="received" at={message.received_at} />],
          ['attempts', message.attempts],
          ['next attempt', <Age key="next" at={message.next_attempt_at} />],
          ['finished', <Instant key="finished" at={message.finished_at} />],
          ['size', `${message.size.toLocaleString('en')} bytes`],
        ]}
      />
      {message.rejections.length > 0 && (
        <p className="notice partial">
          {message.rejections
            .map(({ reason, count }) => `${counted(count, 'record')} not stored: ${plain(reason)}`)
            .join('; ')}
          .
        </p>
      )}
      <Outcomes outcomes={message.outcomes} />
      {message.replay_advice !== null && <p className="notice partial">{message.replay_advice}</p>}
      {mayReplay && message.has_body && <ReplayOne id={message.message_id} />}
      <Body message={message} />
    </>
  );
}

const outcomeColumns: readonly Column<MessageOutcomeDto>[] = [
  { name: 'attempt ended', show: ({ at }) => <Instant at={at} /> },
  { name: 'outcome', show: ({ status }) => <StateMark state={stateOfMessage(status)}>{status}</StateMark> },
  { name: 'reason', wide: true, show: ({ reason }) => reason?.replaceAll('_', ' ') ?? '–' },
];

/** How attempts ended, newest first; the facts above show a single one. */
function Outcomes({ outcomes }: Pick<MessageDetailDto, 'outcomes'>): ReactNode {
  if (outcomes.length < 2) return null;
  return (
    <Table
      label="Attempts"
      columns={outcomeColumns}
      rows={[...outcomes].reverse()}
      keyOf={(outcome) => String(outcomes.indexOf(outcome))}
    />
  );
}

function Body({ message: { message_id, has_body } }: { readonly message: MessageDetailDto }): ReactNode {
  const mayRead = useMay('reader');
  const [isAsked, setAsked] = useState(false);
  const query = useAnswer('getMessage', { path: { message_id } }, { enabled: isAsked, isOnRequest: true });
  if (!has_body) return <Empty>The body was deleted after MESSAGE_RETENTION_DAYS.</Empty>;
  if (!mayRead) return <Empty>The body may contain health values, so it requires the role reader.</Empty>;
  if (!isAsked) {
    return (
      <p className="line">
        <button type="button" onClick={() => setAsked(true)}>
          Show the body
        </button>
        <span className="muted">The access log records that you read it.</span>
      </p>
    );
  }
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <Loading rows={4} of="the body" />;
  const { body, body_base64 } = query.data;
  return (
    <div className="body">{typeof body_base64 === 'string' ? <pre>{body_base64}</pre> : <Tree value={body} />}</div>
  );
}
