import { type ReactNode, useState } from 'react';
import type { DiagnosisDto } from '../../lib/api.js';
import { useAnswer } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import type { State } from '../../lib/states.js';
import { Age } from '../../parts/age.js';
import { Empty, Forbidden, Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Section } from '../../parts/page.js';
import { StateMark } from '../../parts/state.js';
import { type Column, Table } from '../../parts/table.js';

const marks: Readonly<Record<DiagnosisDto['checks'][number]['state'], State>> = {
  ok: 'received',
  bad: 'failed',
  skipped: 'unknown',
};

const columns: readonly Column<DiagnosisDto['checks'][number]>[] = [
  { name: 'check', show: ({ check }) => check },
  { name: 'state', show: ({ state }) => <StateMark state={marks[state]}>{state}</StateMark> },
  { name: 'finding', wide: true, show: ({ finding }) => finding },
];

/** Runs `pulsekeep doctor` on request, because it makes a call to upstream. */
export function Doctor(): ReactNode {
  const mayAsk = useMay('operator');
  const [isAsked, setAsked] = useState(false);
  const query = useAnswer('examineDeployment', undefined, { enabled: isAsked, isOnRequest: true });
  const { data, isFetching } = query;
  if (!mayAsk) {
    return (
      <Section title="Doctor">
        <Forbidden needed="operator" what="The doctor" />
      </Section>
    );
  }
  return (
    <Section title="Doctor" note="deployment checks, run by this process">
      <p className="line">
        <button
          type="button"
          disabled={isFetching}
          onClick={() => {
            if (isAsked) void query.refetch();
            setAsked(true);
          }}
        >
          {isFetching ? 'Running doctor' : 'Run doctor'}
        </button>
        <Commands call="examineDeployment" />
        {data && (
          <span className="muted">
            examined <Age at={data.at} />
          </span>
        )}
      </p>
      {isAsked ? (
        <Shown query={query} of="the checks" rows={9}>
          {data && <Table label="Checks" columns={columns} rows={data.checks} keyOf={({ check }) => check} />}
        </Shown>
      ) : (
        <Empty>Not run yet. A run takes up to ten seconds and makes one call to upstream.</Empty>
      )}
    </Section>
  );
}
