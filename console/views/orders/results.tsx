import { type ReactNode, useState } from 'react';
import type { ResultDto, ResultVersionDto, ShownOrderDto, ShownTransactionDto } from '../../lib/api.js';
import { useAnswer } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { Age } from '../../parts/age.js';
import { Forbidden, Partial, Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Section } from '../../parts/page.js';
import { type Column, Table } from '../../parts/table.js';
import { Pdf } from './documents.js';
import { type MarkerChange, markersOf, resultChanges } from './result-changes.js';

interface ResultsProps {
  readonly order: ShownOrderDto;
  /** The transaction, if its result covers all of its orders. */
  readonly fromTransaction: ShownTransactionDto | null;
}

/** The result, read only on request; the access log records that it was read. */
export function Results({ order, fromTransaction }: ResultsProps): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const mayRead = useMay('reader');
  return (
    <Section
      title="Result"
      note={fromTransaction ? 'of the transaction, combining the results of all its orders' : 'of this order'}
    >
      {!mayRead ? (
        <Forbidden needed="reader" what="A result" />
      ) : isAsked ? (
        <Result order={order} fromTransaction={fromTransaction} />
      ) : (
        <div className="line">
          <button type="button" onClick={() => setAsked(true)}>
            Show the result
          </button>
          <span className="note">It is read from upstream now. The access log records that you viewed it.</span>
        </div>
      )}
    </Section>
  );
}

function Result({ order, fromTransaction }: ResultsProps): ReactNode {
  const [version, setVersion] = useState<number>();
  const query = version === undefined ? {} : { version };
  const ofOrder = { path: { order_id: order.order_id }, query };
  const ofTransaction = { path: { id: fromTransaction?.order_transaction_id ?? '' }, query };
  const byOrder = useAnswer('getOrderResult', ofOrder, {
    isOnRequest: true,
    enabled: fromTransaction === null,
  });
  const byTransaction = useAnswer('getOrderTransactionResult', ofTransaction, {
    isOnRequest: true,
    enabled: fromTransaction !== null,
  });
  const answer = fromTransaction === null ? byOrder : byTransaction;
  const result = answer.data;
  return (
    <>
      <Shown query={answer} of="the result" rows={6}>
        {result && (
          <>
            <Standing result={result} />
            <Markers order={order} fromTransaction={fromTransaction} result={result} />
            <Versions result={result} onChoose={setVersion} />
          </>
        )}
      </Shown>
      <div className="line">
        {fromTransaction === null ? (
          <Commands call="getOrderResult" options={ofOrder} />
        ) : (
          <Commands call="getOrderTransactionResult" options={ofTransaction} />
        )}
        {result && result.pdf_versions.length > 0 && (
          <Pdf
            address={
              fromTransaction === null
                ? `/admin/v1/orders/${order.order_id}/result/pdf`
                : `/admin/v1/order-transactions/${fromTransaction.order_transaction_id}/result/pdf`
            }
            file="result.pdf"
          >
            Download the PDF
          </Pdf>
        )}
      </div>
    </>
  );
}

function Standing({
  result: { status, version, stale, withdrawn_at, last_confirmed_at },
}: {
  readonly result: ResultDto;
}) {
  return (
    <>
      {status === 'partial' && (
        <Partial>Partial: the lab has not finished. Never pass it on as the final result.</Partial>
      )}
      {status === 'withdrawn' && (
        <Partial>
          Withdrawn <Age at={withdrawn_at} />: upstream no longer has it. Do not pass it on.
        </Partial>
      )}
      <p className="note">
        Version {version}, {status}, {stale ? 'not confirmed by upstream in this request; ' : ''}last confirmed{' '}
        <Age at={last_confirmed_at} />
      </p>
    </>
  );
}

/** Markers with the changes since the previous version. */
function Markers({ order, fromTransaction, result }: ResultsProps & { readonly result: ResultDto }): ReactNode {
  const before = result.version - 1;
  const has = result.versions.some(({ version }) => version === before);
  const query = { version: before };
  const ofOrder = useAnswer(
    'getOrderResult',
    { path: { order_id: order.order_id }, query },
    { isOnRequest: true, enabled: has && fromTransaction === null },
  );
  const ofTransaction = useAnswer(
    'getOrderTransactionResult',
    { path: { id: fromTransaction?.order_transaction_id ?? '' }, query },
    { isOnRequest: true, enabled: has && fromTransaction !== null },
  );
  const answer = fromTransaction === null ? ofOrder : ofTransaction;
  // While data is being read, the query still holds another version.
  const former = has && !answer.isPlaceholderData ? answer.data : undefined;
  const now = markersOf(result.results);
  const changes = former
    ? resultChanges(markersOf(former.results), now)
    : now.map((marker): MarkerChange => ({ marker, kind: 'same', before: {} }));
  if (changes.length === 0) return <p className="empty">This version contains no markers.</p>;
  return (
    <Table
      label="Markers"
      columns={former ? [...markerColumns, changeColumn(before)] : markerColumns}
      rows={changes}
      keyOf={({ marker }) => marker.key}
    />
  );
}

const markerColumns: readonly Column<MarkerChange>[] = [
  { name: 'marker', show: ({ marker }) => marker.name },
  { name: 'result', number: true, show: ({ marker, kind }) => (kind === 'removed' ? '–' : marker.result || '–') },
  { name: 'unit', show: ({ marker }) => marker.unit || '–' },
  { name: 'range', show: ({ marker }) => marker.range || '–' },
  {
    name: 'interpretation',
    show: ({ marker }) =>
      marker.interpretation === 'critical' ? (
        <strong className="act-word">critical</strong>
      ) : (
        marker.interpretation || '–'
      ),
  },
];

const changeColumn = (version: number): Column<MarkerChange> => ({
  name: `Since version ${version}`,
  wide: true,
  show: ({ kind, before }) =>
    kind === 'changed'
      ? `was ${Object.entries(before)
          .map(([field, value]) => `${field === 'result' ? '' : `${field} `}${value || 'nothing'}`)
          .join(', ')}`
      : kind === 'same'
        ? 'the same'
        : kind,
});

function Versions({
  result,
  onChoose,
}: {
  readonly result: ResultDto;
  readonly onChoose: (version: number) => void;
}): ReactNode {
  const columns: readonly Column<ResultVersionDto>[] = [
    { name: 'version', number: true, show: ({ version }) => version },
    { name: 'status', show: ({ status }) => status },
    { name: 'first seen', show: ({ first_seen_at }) => <Age at={first_seen_at} /> },
    { name: 'last confirmed', show: ({ last_confirmed_at }) => <Age at={last_confirmed_at} /> },
    { name: 'withdrawn', show: ({ withdrawn_at }) => <Age at={withdrawn_at} absent="no" /> },
    { name: 'read by', show: ({ source }) => (source === 'fetch' ? 'an event' : 'a request') },
  ];
  if (result.versions.length < 2) return null;
  return (
    <Table
      label="Versions of the result"
      columns={columns}
      rows={result.versions}
      keyOf={({ version }) => String(version)}
      selected={String(result.version)}
      onOpen={({ version }) => onChoose(version)}
    />
  );
}
