import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { CandidateDto, ShownUnmatchedResultDto } from '../../lib/api.js';
import { useAct, useAnswer } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { shortened } from '../../lib/shortened.js';
import { Empty, Forbidden, Partial, Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Confirm } from '../../parts/dialog.js';
import { Section } from '../../parts/page.js';
import { type Column, Table } from '../../parts/table.js';
import { statusWords } from './act.js';
import { AccountLink } from './parts.js';

function OrderLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Link href={`/orders/${id}`} title={id}>
      <code>{shortened(id)}</code>
    </Link>
  );
}

type Decision =
  | { readonly action: 'reject' | 'unsure' }
  | { readonly action: 'accept'; readonly candidate: CandidateDto };

/** One result that upstream could not attach to an order, with its candidates and the decision. */
export default function Review({ id }: { readonly id: string }): ReactNode {
  const options = { path: { id } };
  const answer = useAnswer('getUnmatchedResult', options, { every: false, isFromUpstream: true });
  return (
    <Section title="The result and its candidates" note={<Commands call="getUnmatchedResult" options={options} />}>
      <Shown query={answer} of="the item" rows={4}>
        {answer.data && <Item item={answer.data} />}
      </Shown>
    </Section>
  );
}

function Item({ item }: { readonly item: ShownUnmatchedResultDto }): ReactNode {
  const { candidates, content, stale, waiting, allowed_actions, status } = item;
  const [decision, setDecision] = useState<Decision | null>(null);
  const mayAct = useMay('operator');
  const mayRead = useMay('reader');
  const may = (action: string): boolean => mayAct && waiting && allowed_actions.includes(action);
  const columns: readonly Column<CandidateDto>[] = [
    { name: 'account', show: ({ account_id }) => <AccountLink accountId={account_id} /> },
    { name: 'order', show: ({ order_id }) => (order_id ? <OrderLink id={order_id} /> : '–') },
    { name: 'status', show: ({ last_status }) => statusWords(last_status) },
    { name: 'confidence', show: ({ confidence_level }) => confidence_level ?? 'not stated' },
    ...(may('accept')
      ? [
          {
            name: 'action',
            show: (candidate: CandidateDto) => (
              <button type="button" onClick={() => setDecision({ action: 'accept', candidate })}>
                Attach to this order
              </button>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      {!waiting && <Partial>Not waiting for a decision: {status.replaceAll('_', ' ')}.</Partial>}
      {stale && <Partial>Upstream could not be reached; stored data is shown.</Partial>}
      {candidates.length === 0 ? (
        <Empty>Upstream names no candidate.</Empty>
      ) : (
        <Table
          label="Candidates"
          columns={columns}
          rows={candidates}
          keyOf={({ order_id, user_id }) => `${order_id} ${user_id}`}
        />
      )}
      {!mayRead ? (
        <Forbidden needed="reader" what="The content of the item" />
      ) : (
        content && <Content content={content} />
      )}
      <div className="line">
        {may('reject') && (
          <button type="button" onClick={() => setDecision({ action: 'reject' })}>
            Reject all candidates
          </button>
        )}
        {may('unsure') && (
          <button type="button" onClick={() => setDecision({ action: 'unsure' })}>
            Let upstream decide
          </button>
        )}
      </div>
      {decision && <Decide id={item.id} decision={decision} onClose={() => setDecision(null)} />}
    </>
  );
}

function Decide({
  id,
  decision,
  onClose,
}: {
  readonly id: string;
  readonly decision: Decision;
  readonly onClose: () => void;
}): ReactNode {
  const [note, setNote] = useState('');
  const accept = useAct('acceptUnmatchedResult');
  const resolve = useAct('resolveUnmatchedResult');
  const noted = note.trim() === '' ? {} : { note: note.trim() };
  const path = { id };
  if (decision.action === 'accept') {
    const { user_id, order_id, account_id } = decision.candidate;
    return (
      <Confirm
        title="Attach the result"
        act={`Attach it to the order of ${account_id ?? 'this person'}`}
        typed={order_id ?? id}
        destructive
        onClose={onClose}
        run={() => accept.mutateAsync({ path, body: { user_id, order_id, ...noted } })}
      >
        <p>Upstream attaches the result to this order, and this person can see it. This cannot be undone here.</p>
        <Note note={note} onChange={setNote} />
      </Confirm>
    );
  }
  const { action } = decision;
  return (
    <Confirm
      title={action === 'reject' ? 'Reject all candidates' : "Leave it to upstream's staff"}
      act={action === 'reject' ? 'Reject' : 'Let upstream decide'}
      destructive={action === 'reject'}
      onClose={onClose}
      run={() => resolve.mutateAsync({ path, body: { action, ...noted } })}
    >
      <p>
        {action === 'reject'
          ? 'The result is attached to none of the candidates.'
          : "Upstream's staff decide. Nothing is attached until then."}
      </p>
      <Note note={note} onChange={setNote} />
    </Confirm>
  );
}

function Note({ note, onChange }: { readonly note: string; readonly onChange: (note: string) => void }): ReactNode {
  return (
    <label className="field">
      <span>Note for upstream; not stored here</span>
      <input value={note} maxLength={500} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}

/** The item as sent by upstream, field by field. */
function Content({ content }: { readonly content: Readonly<Record<string, unknown>> }): ReactNode {
  return (
    <details className="content">
      <summary>Item as sent by upstream: patient, markers, reason. Not stored.</summary>
      <pre>{JSON.stringify(content, null, 2)}</pre>
    </details>
  );
}
