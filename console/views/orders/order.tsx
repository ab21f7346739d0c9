import { type ReactNode, useState } from 'react';
import type { AppointmentDto, OrderEventDto, ShownOrderDto, ShownTransactionDto, ToldDto } from '../../lib/api.js';
import { PulsekeepError } from '../../lib/api.js';
import { useAct, useAnswer } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { Age, Instant } from '../../parts/age.js';
import { Empty, Failure, Loading, Shown } from '../../parts/conditions.js';
import { Commands, Id } from '../../parts/copy.js';
import { Confirm } from '../../parts/dialog.js';
import { Facts, Page, Section } from '../../parts/page.js';
import { type Column, Table } from '../../parts/table.js';
import { type Act, actOf, isCancelled, originOf, statusWords } from './act.js';
import { Appointments } from './appointments.js';
import { Chain } from './chain.js';
import { Documents } from './documents.js';
import { AccountLink } from './parts.js';
import { Results } from './results.js';
import { TellAct } from './tell.js';

/** One order with its chain. The id may also be that of the transaction. */
export default function Order({ id }: { readonly id: string }): ReactNode {
  const order = useAnswer('getOrder', { path: { order_id: id } }, { every: false });
  // An id in another format cannot be an order.
  const isUnknown = order.error instanceof PulsekeepError && [400, 404].includes(order.error.status);
  const transactionId = order.data?.order_transaction_id ?? (isUnknown ? id : null);
  const transaction = useAnswer(
    'getOrderTransaction',
    { path: { id: transactionId ?? '' } },
    { every: false, enabled: transactionId !== null },
  );
  if (isUnknown && transaction.data) return <FirstOf transaction={transaction.data} />;
  if (isUnknown && transaction.isPending) return <Loading of="the transaction" />;
  return (
    <Page title={`Order ${id}`} id={id} commands={<Commands call="getOrder" options={{ path: { order_id: id } }} />}>
      {isUnknown ? (
        <Empty>
          No order or transaction has this id. If it was placed elsewhere and its events were lost, register it under
          "New order".
        </Empty>
      ) : (
        <Shown query={order} of="the order" rows={8}>
          {order.data && (
            <Known
              order={order.data}
              transaction={transaction.data}
              isReading={transactionId !== null && transaction.isPending}
              error={transaction.error}
            />
          )}
        </Shown>
      )}
    </Page>
  );
}

function FirstOf({ transaction: { act_on, orders } }: { readonly transaction: ShownTransactionDto }): ReactNode {
  const id = act_on ?? orders.at(-1)?.order_id;
  return id === undefined ? <Empty>The transaction has no order yet.</Empty> : <Order id={id} />;
}

function namesOf(order: ShownOrderDto): (readonly [string, ReactNode])[] {
  const { expected_result_by_date: expected, worst_case_result_by_date: worst, activate_by } = order;
  const dates = [expected, worst && `at worst ${worst}`].filter(Boolean).join(', ');
  return [
    ['Test', [order.lab_test_name, order.lab_name].filter(Boolean).join(', ') || 'unknown'],
    ['Collection', order.collection_method?.replaceAll('_', ' ') ?? 'unknown'],
    ['Sample', order.sample_id === null ? 'none yet' : <Id key="sample" id={order.sample_id} />],
    ['Result expected by', dates || 'unknown'],
    ...(activate_by === null ? [] : [['Starts on', activate_by] as const]),
  ];
}

function NextRead({ of: { refresh } }: { readonly of: ShownOrderDto }): ReactNode {
  if (refresh === null) return 'none due';
  const isGone = refresh.last_error === 'not_found';
  return <Age at={refresh.due_at} absent={isGone ? 'none: upstream no longer has this order' : 'failed permanently'} />;
}

function Known({
  order,
  transaction,
  isReading,
  error,
}: {
  readonly order: ShownOrderDto;
  readonly transaction: ShownTransactionDto | undefined;
  readonly isReading: boolean;
  readonly error: unknown;
}): ReactNode {
  const { order_id, account_id, status, status_detail, origin, events, critical } = order;
  return (
    <>
      {transaction ? (
        <>
          <Chain transaction={transaction} selected={order_id} />
          <Now transaction={transaction} />
        </>
      ) : (
        <>
          {isReading && <Loading rows={5} of="the transaction" />}
          {error !== null && <Failure error={error} />}
        </>
      )}
      {critical && <CriticalNow order={order} />}
      <div className="order-facts">
        <Facts
          facts={[
            ['Account', <AccountLink key="account" accountId={account_id} />],
            ['Status', [statusWords(status), status_detail?.replaceAll('_', ' ')].filter(Boolean).join(', ')],
            ...namesOf(order),
            ['Origin', originOf(origin, 'unknown')],
            ['Created', <Age key="created" at={order.created_at} />],
            ['Last seen upstream', <Age key="seen" at={order.last_seen_at} absent="never" />],
            ['Next read', <NextRead key="read" of={order} />],
            [
              'Transaction',
              order.order_transaction_id === null ? 'unknown' : <Id key="id" id={order.order_transaction_id} />,
            ],
          ]}
        />
        <OrderActs order={order} />
      </div>
      <Appointments
        order={order}
        appointments={appointmentsOf(order, transaction)}
        isNext={transaction?.act_on === order_id && actOf(transaction, transaction.appointments) === 'book'}
      />
      <Documents order={order} />
      <Results order={order} fromTransaction={transaction?.results_from === 'order_transaction' ? transaction : null} />
      <Section title="Events">
        {events.length === 0 ? (
          <Empty>No events of this order yet.</Empty>
        ) : (
          <Table label="Events" columns={eventColumns} rows={events} keyOf={({ event_id }) => String(event_id)} />
        )}
      </Section>
    </>
  );
}

function appointmentsOf(order: ShownOrderDto, transaction?: ShownTransactionDto): readonly AppointmentDto[] {
  return transaction?.appointments ?? order.appointments;
}

const eventColumns: readonly Column<OrderEventDto>[] = [
  { name: 'at', show: ({ created_at }) => <Instant at={created_at} /> },
  { name: 'status', show: ({ status }) => statusWords(status) },
  { name: 'full status', show: ({ status }) => <code>{status}</code> },
  { name: 'detail', wide: true, show: ({ status_detail }) => status_detail?.replaceAll('_', ' ') ?? '–' },
];

const sentences: Readonly<Record<Act, string>> = {
  tell: 'The lab could not complete some tests and needs a new sample. No record shows that the patient was informed.',
  book: 'The sample has not been taken, and no appointment is booked.',
  wait: 'No action needed: the lab has the next step.',
  ask: 'The redraw was cancelled after markers were lost, and upstream states no outcome. Ask the lab, then order again or close the case.',
  replace: 'The sample or kit was lost or failed. Order again, or close the case with the patient.',
  unblock: 'The lab has blocked the kit and waits for what is missing.',
  release: 'The order is on hold. Find out why, and release or cancel it.',
};

function quiet({ orders }: ShownTransactionDto): string {
  return orders.some(({ critical_untold }) => critical_untold)
    ? 'The patient must be informed of a critical result.'
    : 'No order of this transaction needs action.';
}

/** States the next action, with its button. */
function Now({ transaction }: { readonly transaction: ShownTransactionDto }): ReactNode {
  const tell = useAct('tellRedraw');
  const { order_transaction_id, redraw_told, flag } = transaction;
  const act = actOf(transaction, transaction.appointments);
  return (
    <div className="now line">
      <span>
        {flag === 'inconsistent' && act === null
          ? "The transaction's status and its orders contradict each other, so no action is suggested. It will be read again."
          : act === null
            ? quiet(transaction)
            : sentences[act]}
      </span>
      {redraw_told && (
        <span className="muted">
          <ToldBy told={redraw_told} />
        </span>
      )}
      <TellAct
        isDue={act === 'tell'}
        what="the second draw"
        run={(body) => tell.mutateAsync({ path: { id: order_transaction_id }, body })}
      />
      <ReplacedAct transaction={transaction} isDue={transaction.needs === 'replace'} />
    </div>
  );
}

/** The button with which operators record that what was lost was replaced, and the latest such record. */
function ReplacedAct({
  transaction: { order_transaction_id: id, replaced },
  isDue,
}: {
  readonly transaction: ShownTransactionDto;
  readonly isDue: boolean;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const record = useAct('recordReplacement');
  const mayAct = useMay('operator');
  return (
    <>
      {replaced && (
        <span className="muted">
          Replacement recorded by {replaced.by} <Age at={replaced.at} />
        </span>
      )}
      {isDue && mayAct && (
        <button type="button" className="main" onClick={() => setOpen(true)}>
          Record that it was replaced
        </button>
      )}
      {isOpen && (
        <Confirm
          title="The lost sample or kit was replaced"
          act="Record it"
          onClose={() => setOpen(false)}
          run={() => record.mutateAsync({ path: { id } })}
        >
          <p>
            Record it once another order is placed, the kit is sent again, or the case is closed with the patient. The
            transaction leaves the list until something is lost again.
          </p>
        </Confirm>
      )}
    </>
  );
}

function ToldBy({ told: { by, how, at } }: { readonly told: ToldDto }): ReactNode {
  return (
    <>
      Informed by {by} ({how.replaceAll('_', ' ')}) <Age at={at} />
    </>
  );
}

/** Who says that a result is critical; a marker by its name. */
const sources = { event: 'notice of the lab', order: 'order', result: 'result' } as const;

function CriticalNow({ order }: { readonly order: ShownOrderDto }): ReactNode {
  const tell = useAct('tellCriticalResults');
  const { order_id, critical_untold, critical_told, critical_results } = order;
  return (
    <div className={`notice ${critical_untold ? 'failure' : ''}`}>
      <strong>
        {critical_untold
          ? 'A lab reports a critical result, and no record shows that the patient was informed.'
          : 'A lab reported a critical result; the patient was informed.'}
      </strong>
      {critical_results === null ? (
        <span className="muted">The reported values require the role reader.</span>
      ) : (
        critical_results.map(({ said_by, marker, sample_id, status, interpretation, created_at }) => (
          <span key={`${said_by} ${marker} ${sample_id}`}>
            {said_by === 'marker' ? marker : sources[said_by]}
            {sample_id !== '' && (
              <>
                , sample <code>{sample_id}</code>
              </>
            )}
            : {[interpretation, status].filter(Boolean).join(', ')} <Age at={created_at} />
          </span>
        ))
      )}
      {critical_told && (
        <span>
          <ToldBy told={critical_told} />
        </span>
      )}
      <TellAct
        isDue={critical_untold}
        what="the critical result"
        run={(body) => tell.mutateAsync({ path: { order_id }, body: { ...body, ...spokenOf(critical_results) } })}
      />
    </div>
  );
}

/**
 * The version on this page, or 0 if only an event says it, so that a critical value which arrives meanwhile stays on
 * the list.
 */
function spokenOf(results: ShownOrderDto['critical_results']): { readonly result_version?: number } {
  return results === null
    ? {}
    : { result_version: Math.max(0, ...results.map(({ result_version }) => result_version ?? 0)) };
}

function OrderActs({
  order: { order_id, status, order_transaction_id },
}: {
  readonly order: ShownOrderDto;
}): ReactNode {
  const [isCancelling, setCancelling] = useState(false);
  const [open, setOpen] = useState<readonly string[] | null>(null);
  const cancel = useAct('cancelOrder');
  const refresh = useAct('refreshOrderTransaction');
  const mayAct = useMay('operator');
  if (!mayAct) return null;
  return (
    <div className="line">
      {order_transaction_id !== null && (
        <button
          type="button"
          disabled={refresh.isPending}
          onClick={() => refresh.mutate({ path: { id: order_transaction_id } })}
        >
          Refresh from upstream
        </button>
      )}
      {!isCancelled(status) && !/^completed/.test(status ?? '') && (
        <button type="button" onClick={() => setCancelling(true)}>
          Cancel the order
        </button>
      )}
      {refresh.isError && <Failure error={refresh.error} kept="The stored state is shown." />}
      {open !== null && (
        <p className="notice" role="status">
          Cancelled.{' '}
          {open.length > 0 && `Appointments that may still be active: ${open.join(', ')}. Cancel them as well.`}
        </p>
      )}
      {isCancelling && (
        <Confirm
          title={`Cancel order ${order_id}`}
          act="Cancel the order"
          typed={order_id}
          destructive
          onClose={() => setCancelling(false)}
          run={async () => setOpen((await cancel.mutateAsync({ path: { order_id } })).open_appointments)}
        >
          <p>
            The lab will receive no sample for this order. Its appointment may remain and must be cancelled separately.
          </p>
        </Confirm>
      )}
    </div>
  );
}
