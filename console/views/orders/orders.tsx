import './orders.css';
import type { ReactNode } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import type { Operations, OrderDto, TransactionDto, UnmatchedResultDto } from '../../lib/api.js';
import { oneOf, text } from '../../lib/filters.js';
import { later } from '../../lib/later.js';
import { useRows } from '../../lib/queries.js';
import { useFilters } from '../../lib/use-filters.js';
import { nothingIn, plain } from '../../lib/words.js';
import { Age } from '../../parts/age.js';
import { Commands, Id } from '../../parts/copy.js';
import { Choice, TextFilter } from '../../parts/fields.js';
import { Page } from '../../parts/page.js';
import { StateMark } from '../../parts/state.js';
import { type Column, ListTable } from '../../parts/table.js';
import { Tabs } from '../../parts/tabs.js';
import { actOf, actWords, originOf, stateOfOrder, statusWords } from './act.js';
import { AccountLink } from './parts.js';
import { Reports } from './reports.js';
import { Work } from './work.js';

const Order = later(() => import('./order.js'));
const Review = later(() => import('./review.js'));
const NewOrder = later(() => import('./new-order.js'));

const lists = [
  'transactions',
  'work',
  'reports',
  'place',
  'redraws',
  'critical',
  'review',
  'given_up',
  'withdrawn',
] as const;
type List = (typeof lists)[number];
const names: Readonly<Record<List, string>> = {
  transactions: 'All',
  work: 'What to do',
  reports: 'Lab reports',
  place: 'New order',
  redraws: 'Patients to notify: redraws',
  critical: 'Patients to notify: critical results',
  review: 'Results to review',
  given_up: 'Failed result fetches',
  withdrawn: 'Withdrawn results',
};
/** The other lists are parts of what is to be done, to which alarms and items lead. */
const tabs: readonly List[] = ['transactions', 'work', 'reports', 'place'];

/** Words of upstream, which may add others. */
const statuses = ['active', 'completed', 'cancelled'] as const;
const filters = { list: oneOf(lists), status: oneOf(statuses), account_id: text };

/** The lists of orders, or one order with its chain. */
export default function OrdersOrOne(): ReactNode {
  const { id } = useParams<{ id?: string }>();
  return id === undefined ? <Orders /> : <Order key={id} id={id} />;
}

function Orders(): ReactNode {
  const [values, change] = useFilters(filters);
  const list = values.list ?? 'transactions';
  const tab = tabs.includes(list) ? list : 'work';
  return (
    <Page title="Orders">
      <Tabs label="Lists of orders" tabs={tabs.map((name) => [name, names[name]])} shown={tab} />
      <section className="tab" aria-label={names[list]}>
        {tab !== list && (
          <p>
            {names[list]} · <Link href="/orders?list=work">everything to do</Link>
          </p>
        )}
        {list === 'work' && <Work />}
        {list === 'reports' && <Reports />}
        {list === 'transactions' && (
          <>
            <search className="filters" aria-label="Filters">
              <Choice
                label="status"
                value={values.status}
                values={statuses}
                onChange={(status) => change({ status })}
              />
            </search>
            <Transactions query={values.status ? { status: values.status } : {}} />
          </>
        )}
        {list === 'redraws' && <Transactions query={{ needs: 'redraw', told: false }} />}
        {list === 'critical' && (
          <CriticalOrders account={values.account_id} onChange={(account_id) => change({ account_id })} />
        )}
        {list === 'given_up' && (
          <OrderList
            label="Orders whose result could not be fetched"
            query={{ result: 'given_up' }}
            empty="Every announced result was fetched or is being retried."
          />
        )}
        {list === 'withdrawn' && (
          <OrderList
            label="Orders with a withdrawn result"
            query={{ result: 'withdrawn' }}
            empty="Upstream has withdrawn no results."
          />
        )}
        {list === 'review' && <Reviews />}
        {list === 'place' && <NewOrder />}
      </section>
    </Page>
  );
}

interface CriticalProps {
  readonly account: string | undefined;
  readonly onChange: (account: string | undefined) => void;
}

function CriticalOrders({ account, onChange }: CriticalProps): ReactNode {
  return (
    <>
      <search className="filters" aria-label="Filters">
        <TextFilter label="account" value={account} onChange={onChange} />
      </search>
      <OrderList
        label="Orders with a critical result"
        query={{ critical: true, told: false, ...(account && { account_id: account }) }}
        empty={
          account === undefined
            ? 'All patients with a critical result are recorded as informed.'
            : 'No critical result of this account waits for its patient to be informed.'
        }
      />
    </>
  );
}

const transactionColumns: readonly Column<TransactionDto>[] = [
  { name: 'transaction', show: ({ order_transaction_id }) => <Id id={order_transaction_id} /> },
  { name: 'test', show: ({ orders }) => orders.findLast(({ lab_test_name }) => lab_test_name)?.lab_test_name ?? '–' },
  { name: 'orders', show: (transaction) => <Orderly transaction={transaction} /> },
  { name: 'action', show: (transaction) => <ActWords transaction={transaction} /> },
  {
    name: 'status',
    show: ({ status, flag }) => [status ?? 'unknown', flag?.replaceAll('_', ' ')].filter(Boolean).join(', '),
  },
  { name: 'account', show: ({ account_id }) => <AccountLink accountId={account_id} /> },
  { name: 'created', show: ({ created_at }) => <Age at={created_at} /> },
];

/** The chain in one line: a shape and a word for each order. */
function Orderly({ transaction: { orders } }: { readonly transaction: TransactionDto }): ReactNode {
  return (
    <span className="orderly">
      {orders.map(({ order_id, origin, status }, index) => (
        <span key={order_id}>
          {index > 0 && <span aria-label="then"> → </span>}
          <StateMark state={stateOfOrder(status)}>
            {originOf(origin)} <span className="muted">{statusWords(status)}</span>
          </StateMark>
        </span>
      ))}
    </span>
  );
}

function ActWords({ transaction }: { readonly transaction: TransactionDto }): ReactNode {
  const isCritical = transaction.orders.some(({ critical_untold }) => critical_untold);
  const act = isCritical ? 'tell' : actOf(transaction);
  if (act === null) return <span className="muted">none</span>;
  return <span className={act === 'wait' ? undefined : 'act-word'}>{actWords[act]}</span>;
}

type TransactionQuery = { readonly status?: string; readonly needs?: 'redraw'; readonly told?: boolean };

function Transactions({ query }: { readonly query: TransactionQuery }): ReactNode {
  const [, navigate] = useLocation();
  const open = ({ act_on, orders, order_transaction_id }: TransactionDto): void =>
    navigate(`/orders/${act_on ?? orders.at(-1)?.order_id ?? order_transaction_id}`);
  return (
    <>
      <Commands call="listOrderTransactions" options={{ query }} />
      <ListTable
        label="Order transactions"
        columns={transactionColumns}
        list={useRows('listOrderTransactions', { query })}
        keyOf={({ order_transaction_id }) => order_transaction_id}
        onOpen={open}
        empty={
          query.needs
            ? 'No patient has to be informed of a second draw.'
            : nothingIn('lab order', query, 'An order appears when it is placed here, or with its first event.')
        }
      />
    </>
  );
}

const orderColumns: readonly Column<OrderDto>[] = [
  { name: 'order', show: ({ order_id }) => <Id id={order_id} /> },
  { name: 'test', show: ({ lab_test_name, lab_name }) => [lab_test_name, lab_name].filter(Boolean).join(', ') || '–' },
  { name: 'status', show: ({ status }) => <StateMark state={stateOfOrder(status)}>{statusWords(status)}</StateMark> },
  { name: 'account', show: ({ account_id }) => <AccountLink accountId={account_id} /> },
  { name: 'since', show: ({ status_at }) => <Age at={status_at} /> },
];

type OrderQuery = Pick<NonNullable<Operations['listOrders']['query']>, 'account_id' | 'critical' | 'told' | 'result'>;

function OrderList({
  label,
  query,
  empty,
}: {
  readonly label: string;
  readonly query: OrderQuery;
  readonly empty: string;
}): ReactNode {
  const [, navigate] = useLocation();
  return (
    <>
      <Commands call="listOrders" options={{ query }} />
      <ListTable
        label={label}
        columns={orderColumns}
        list={useRows('listOrders', { query })}
        keyOf={({ order_id }) => order_id}
        onOpen={({ order_id }) => navigate(`/orders/${order_id}`)}
        empty={empty}
      />
    </>
  );
}

const reviewColumns: readonly Column<UnmatchedResultDto>[] = [
  { name: 'item', show: ({ id }) => <Id id={id} /> },
  { name: 'lab', show: ({ lab_slug }) => lab_slug ?? 'not read yet' },
  { name: 'result', show: ({ result_status }) => result_status ?? '–' },
  { name: 'why', wide: true, show: ({ decision_code, sub_reason_codes }) => reasonOf(decision_code, sub_reason_codes) },
  { name: 'created', show: ({ created_at }) => <Age at={created_at} /> },
];

/** Upstream's decision codes; it may add others. */
const decisionWords: Readonly<Record<string, string>> = {
  match_completed: 'matches a completed order',
  match_cancelled: 'matches a cancelled order',
  wrong_collection: 'another collection method',
  wrong_lab: 'another lab',
  multiple_demo_match: 'several patients match',
  match_sample_id_mismatch_demo: 'sample matches, patient differs',
  match_demo: 'patient matches',
  no_match: 'no patient matches',
};

function reasonOf(code: string | null, reasons: readonly string[]): string {
  const decision = code === null ? [] : [decisionWords[code] ?? plain(code)];
  return [...decision, ...reasons.map((one) => plain(one).replace(/\bdob\b/, 'date of birth'))].join('; ') || '–';
}

function Reviews(): ReactNode {
  const [{ item }, change] = useFilters(itemFilter);
  const query = { waiting: true };
  return (
    <>
      <Commands call="listUnmatchedResults" options={{ query }} />
      <ListTable
        label="Results that wait for a decision"
        columns={reviewColumns}
        list={useRows('listUnmatchedResults', { query })}
        keyOf={({ id }) => id}
        selected={item}
        onOpen={({ id }) => change({ item: id })}
        empty="No result waits for a decision. Upstream reports results that it cannot attach to an order."
      />
      {item !== undefined && <Review key={item} id={item} />}
    </>
  );
}

const itemFilter = { item: text };
