import { type ReactNode, useState } from 'react';
import type { AppointmentDto, ShownOrderDto } from '../../lib/api.js';
import { useAct, useAnswer } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { Empty, Failure } from '../../parts/conditions.js';
import { Confirm } from '../../parts/dialog.js';
import { Section } from '../../parts/page.js';
import { type Column, Table } from '../../parts/table.js';
import { Book } from './book.js';
import { ThereAndThen } from './parts.js';

/** Appointments of the order's transaction; book, move and cancel them. */
export function Appointments({
  order,
  appointments,
  isNext,
}: {
  readonly order: ShownOrderDto;
  readonly appointments: readonly AppointmentDto[];
  /** True if booking is the next action. */
  readonly isNext: boolean;
}): ReactNode {
  const [asked, setAsked] = useState<'book' | 'move' | 'cancel' | null>(null);
  const mayAct = useMay('operator');
  const active = appointments.find(({ order_id, is_active }) => order_id === order.order_id && is_active);
  const isOver = /^(completed|cancelled|failed)/.test(order.status ?? '');
  return (
    <Section title="Appointments">
      {appointments.length === 0 ? (
        <Empty>No appointment yet. Appointments booked here or elsewhere appear with their first event.</Empty>
      ) : (
        <Table
          label="Appointments"
          columns={columns}
          rows={appointments}
          keyOf={({ appointment_id }) => appointment_id}
        />
      )}
      {mayAct && !isOver && (
        <div className="line">
          <button
            type="button"
            className={isNext ? 'main' : undefined}
            onClick={() => setAsked(active ? 'move' : 'book')}
          >
            {active ? 'Move the appointment' : 'Book an appointment'}
          </button>
          {active && (
            <button type="button" onClick={() => setAsked('cancel')}>
              Cancel the appointment
            </button>
          )}
        </div>
      )}
      {(asked === 'book' || asked === 'move') && (
        <Book orderId={order.order_id} isMove={asked === 'move'} onClose={() => setAsked(null)} />
      )}
      {asked === 'cancel' && <Cancel orderId={order.order_id} onClose={() => setAsked(null)} />}
    </Section>
  );
}

const columns: readonly Column<AppointmentDto>[] = [
  { name: 'starts', show: ({ start_at, iana_timezone }) => <ThereAndThen at={start_at} zone={iana_timezone} /> },
  { name: 'status', show: ({ status, event_status }) => (status ?? event_status ?? 'unknown').replaceAll('_', ' ') },
  { name: 'active', show: ({ is_active }) => (is_active ? 'yes' : 'no') },
  { name: 'type', show: ({ type }) => type?.replaceAll('_', ' ') ?? '–' },
  { name: 'provider', show: ({ provider }) => provider ?? '–' },
  {
    name: 'history',
    wide: true,
    show: ({ history }) => history.map(({ status }) => status.replaceAll('_', ' ')).join(' → ') || '–',
  },
];

function Cancel({ orderId, onClose }: { readonly orderId: string; readonly onClose: () => void }): ReactNode {
  const [reason, setReason] = useState('');
  const reasons = useAnswer('listCancellationReasons', undefined, { every: false, isFromUpstream: true });
  const cancel = useAct('cancelAppointment');
  return (
    <Confirm
      title="Cancel the appointment"
      act="Cancel the appointment"
      destructive
      isReady={reason !== '' || reasons.data?.data.length === 0}
      onClose={onClose}
      run={() =>
        cancel.mutateAsync({
          path: { order_id: orderId },
          query: reason === '' ? {} : { cancellation_reason_id: reason },
          body: {},
        })
      }
    >
      <p>The slot is released. The order stays, and a new appointment can be booked.</p>
      <label className="field">
        <span>Reason (required by the lab)</span>
        <select
          value={reason}
          required={reasons.data?.data.length !== 0}
          onChange={(event) => setReason(event.target.value)}
        >
          <option value="">choose one</option>
          {reasons.data?.data.map(({ id, name }) => (
            <option key={id} value={id}>
              {name ?? id}
            </option>
          ))}
        </select>
      </label>
      {reasons.isError && (
        <Failure
          error={reasons.error}
          kept="The reasons cannot be read, so nothing can be cancelled now."
          retry={() => void reasons.refetch()}
        />
      )}
    </Confirm>
  );
}
