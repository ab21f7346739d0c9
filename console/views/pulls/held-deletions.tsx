import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { HeldDeletionDto } from '../../lib/api.js';
import { everyOf } from '../../lib/every.js';
import { oneOf } from '../../lib/filters.js';
import { useAct, useRows } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { useFilters } from '../../lib/use-filters.js';
import { Age } from '../../parts/age.js';
import { Commands } from '../../parts/copy.js';
import { Confirm } from '../../parts/dialog.js';
import { Choice } from '../../parts/fields.js';
import { Section } from '../../parts/page.js';
import { type State, StateMark } from '../../parts/state.js';
import { type Column, ListTable } from '../../parts/table.js';

const held = everyOf<HeldDeletionDto['state']>()(['open', 'released', 'rejected']);
const decided = held.filter((state) => state !== 'open');
const filters = { state: oneOf(held) };
const states: Readonly<Record<HeldDeletionDto['state'], State>> = {
  open: 'waiting',
  released: 'gone',
  rejected: 'received',
};

const counted = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'record' : 'records'}`;

type Decision = 'release' | 'reject';

export function HeldDeletions(): ReactNode {
  const [{ state = 'open' }, change] = useFilters(filters);
  const list = useRows('listHeldDeletions', { query: { state } });
  const mayDecide = useMay('operator');
  const [asked, setAsked] = useState<{ readonly row: HeldDeletionDto; readonly decision: Decision } | null>(null);
  const columns: readonly Column<HeldDeletionDto>[] = [
    { name: 'state', show: (row) => <StateMark state={states[row.state]}>{row.state}</StateMark> },
    {
      name: 'account',
      show: ({ account_id }) => <Link href={`/accounts/${encodeURIComponent(account_id)}`}>{account_id}</Link>,
    },
    { name: 'source', show: ({ provider, resource }) => `${provider} · ${resource.replaceAll('_', ' ')}` },
    { name: 'missing', number: true, show: ({ missing }) => missing.toLocaleString('en') },
    { name: 'still returned', number: true, show: ({ shown }) => shown.toLocaleString('en') },
    { name: 'last pull', show: ({ looked_at }) => <Age at={looked_at} /> },
    {
      name: 'decided',
      wide: true,
      show: ({ decided_by, reason }) => (decided_by === null ? '' : `${decided_by}: ${reason ?? ''}`),
    },
    {
      name: 'action',
      show: (row) =>
        mayDecide && row.state === 'open' ? (
          <span className="line">
            <button type="button" onClick={() => setAsked({ row, decision: 'release' })}>
              Hide {counted(row.missing)}
            </button>
            <button type="button" onClick={() => setAsked({ row, decision: 'reject' })}>
              Keep {counted(row.missing)}
            </button>
          </span>
        ) : null,
    },
  ];
  return (
    <Section
      title="Held deletions"
      note="complete pulls lack so many records of a source that an operator must decide whether they are gone"
    >
      <search className="filters" aria-label="Filters">
        <Choice
          label="state"
          value={state === 'open' ? undefined : state}
          values={decided}
          all="open"
          onChange={(next) => change({ state: next })}
        />
        <Commands call="listHeldDeletions" options={{ query: { state } }} />
      </search>
      <ListTable
        label="Held deletions"
        columns={columns}
        list={list}
        keyOf={({ id }) => String(id)}
        empty={`${
          state === 'open' ? 'No deletion waits for a decision.' : `No deletion was ${state}.`
        } One is held when a complete pull lacks more than DELETION_HOLD_SHARE of a source.`}
      />
      {asked && <Decide {...asked} onClose={() => setAsked(null)} />}
    </Section>
  );
}

function Decide({
  row: { id, account_id, provider, resource, missing },
  decision,
  onClose,
}: {
  readonly row: HeldDeletionDto;
  readonly decision: Decision;
  readonly onClose: () => void;
}): ReactNode {
  const release = useAct('releaseHeldDeletion');
  const reject = useAct('rejectHeldDeletion');
  const [reason, setReason] = useState('');
  const isRelease = decision === 'release';
  return (
    <Confirm
      title={isRelease ? 'Hide the missing records' : 'Keep the missing records'}
      act={`${isRelease ? 'Hide' : 'Keep'} ${counted(missing)}`}
      destructive={isRelease}
      typed={isRelease ? account_id : undefined}
      isReady={reason.trim() !== ''}
      run={() => (isRelease ? release : reject).mutateAsync({ path: { id }, body: { reason: reason.trim() } })}
      onClose={onClose}
    >
      <p>
        {counted(missing)} of {resource.replaceAll('_', ' ')} from {provider} {missing === 1 ? 'is' : 'are'} no longer
        returned by upstream.{' '}
        {isRelease
          ? 'They are hidden from the app and counted as gone.'
          : 'They stay, and later pulls do not count them as missing.'}
      </p>
      <label className="field">
        <span>Reason, stored with the decision; must not name a person</span>
        <input value={reason} maxLength={200} required onChange={(event) => setReason(event.target.value)} />
      </label>
    </Confirm>
  );
}
