import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { DayProofDto } from '../../lib/api.js';
import { everyOf } from '../../lib/every.js';
import { day, oneOf, text } from '../../lib/filters.js';
import { useAct, useRows } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { useFilters } from '../../lib/use-filters.js';
import { counted, nothingIn, plain } from '../../lib/words.js';
import { Age } from '../../parts/age.js';
import { Failure } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Choice, TextFilter } from '../../parts/fields.js';
import { Section } from '../../parts/page.js';
import { type State, StateMark } from '../../parts/state.js';
import { type Column, ListTable } from '../../parts/table.js';

const proofStates = everyOf<DayProofDto['state']>()(['different', 'held', 'repairing', 'proven']);

const filters = { proof: oneOf(proofStates), resource: text, first_day: day, last_day: day };

const marks: Readonly<Record<DayProofDto['state'], State>> = {
  proven: 'received',
  repairing: 'waiting',
  held: 'waiting',
  different: 'failed',
};

const causes: Readonly<Record<NonNullable<DayProofDto['cause']>, string>> = {
  mapping: 'Pulsekeep does not store it correctly: report a bug',
  lost: 'stored data was changed or lost here',
  rejected: 'records could not be stored',
  late: 'not pulled since the devices sent their data',
  upstream_changed: 'upstream changed after the last pull',
};

const columns: readonly Column<DayProofDto>[] = [
  { name: 'day', show: (proof) => proof.day },
  { name: 'source', show: ({ provider, resource }) => `${provider} · ${plain(resource)}` },
  { name: 'state', show: ({ state }) => <StateMark state={marks[state]}>{state}</StateMark> },
  { name: 'objects', number: true, show: ({ objects }) => objects.toLocaleString('en') },
  { name: 'differences found', show: ({ differences, fields }) => differencesOf(differences, fields) },
  { name: 'cause', wide: true, show: ({ cause }) => (cause === null ? '–' : causes[cause]) },
  { name: 'last proven', show: ({ proven_at }) => <Age at={proven_at} absent="never" /> },
  { name: 'compared', show: ({ looked_at }) => <Age at={looked_at} /> },
];

/** "2 missing, 1 different (total)"; a dash if there were none. */
function differencesOf(differences: DayProofDto['differences'], fields: readonly string[]): string {
  const { missing, extra, different } = differences;
  const found = [
    missing > 0 && `${missing} missing`,
    extra > 0 && `${extra} not upstream`,
    different > 0 && `${different} different${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`,
  ].filter((words) => words !== false);
  return found.join(', ') || '–';
}

/** Days of an account that were compared with upstream, and a form to compare more. */
export function Proofs({ accountId }: { readonly accountId: string }): ReactNode {
  const [{ proof, ...rest }, change] = useFilters(filters);
  const query = { ...rest, state: proof } as { readonly state?: DayProofDto['state'] };
  const options = { path: { account_id: accountId }, query };
  const list = useRows('listProofs', options);
  const mayStart = useMay('operator');
  return (
    <>
      {mayStart && (
        <Section title="Compare with upstream" note="days (UTC) that are over; what differs is repaired">
          <Start accountId={accountId} />
        </Section>
      )}
      <Section title="Compared days">
        <search className="filters" aria-label="Filters">
          <Choice label="state" value={proof} values={proofStates} onChange={(state) => change({ proof: state })} />
          <TextFilter label="resource" value={rest.resource} onChange={(resource) => change({ resource })} />
          <TextFilter
            label="first day"
            type="date"
            value={rest.first_day}
            onChange={(first_day) => change({ first_day })}
          />
          <TextFilter
            label="last day"
            type="date"
            value={rest.last_day}
            onChange={(last_day) => change({ last_day })}
          />
          <Commands call="listProofs" options={options} />
        </search>
        <ListTable
          label="Compared days"
          columns={columns}
          list={list}
          keyOf={({ day: date, provider, resource }) => `${date} ${provider} ${resource}`}
          empty={nothingIn('compared day', query, "An audit compares days (UTC) that are over with upstream's data.")}
        />
      </Section>
    </>
  );
}

function Start({ accountId }: { readonly accountId: string }): ReactNode {
  const start = useAct('startAudit');
  const [first, setFirst] = useState('');
  const [last, setLast] = useState('');
  const [isReport, setReport] = useState(false);
  const body = { account_id: accountId, first_day: first, last_day: last, report_only: isReport };
  const isReady = first !== '' && first <= last;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start.mutate({ body });
  };
  return (
    <form className="filters" onSubmit={submit}>
      <label className="filter">
        <span>compare from</span>
        <input type="date" value={first} required onChange={(event) => setFirst(event.target.value)} />
      </label>
      <label className="filter">
        <span>to</span>
        <input type="date" value={last} required onChange={(event) => setLast(event.target.value)} />
      </label>
      <label className="filter">
        <input type="checkbox" checked={isReport} onChange={(event) => setReport(event.target.checked)} />
        <span>report only, repair nothing</span>
      </label>
      <button type="submit" disabled={!isReady || start.isPending}>
        Compare with upstream
      </button>
      {isReady && <Commands call="startAudit" options={{ body }} />}
      {start.data && (
        <span role="status">
          Started <Link href="/pulls?list=audits">audit {start.data.audit_id}</Link>:{' '}
          {counted(start.data.days_total, 'day')} to compare.
        </span>
      )}
      {start.isError && <Failure error={start.error} refused="No audit was started." />}
    </form>
  );
}
