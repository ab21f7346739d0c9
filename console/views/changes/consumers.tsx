import { type ReactNode, useState } from 'react';
import { length } from '../../lib/ages.js';
import type { ConsumerDto } from '../../lib/api.js';
import { useAct, useAnswer } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { Age } from '../../parts/age.js';
import { Empty, Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Confirm } from '../../parts/dialog.js';
import { Section } from '../../parts/page.js';
import { StateMark } from '../../parts/state.js';
import { type Column, Table } from '../../parts/table.js';

/** Services that read the feed, and how far behind they are. */
export function Consumers(): ReactNode {
  const answer = useAnswer('listConsumers');
  const [chosen, setChosen] = useState<string | null>(null);
  const forget = useAct('forgetConsumer');
  const mayAct = useMay('operator');
  const columns: readonly Column<ConsumerDto>[] = [
    { name: 'consumer', show: ({ name }) => name },
    { name: 'state', show: (consumer) => <Standing consumer={consumer} /> },
    { name: 'changes behind', number: true, show: ({ lag }) => lag },
    { name: 'time behind', number: true, show: ({ lag_seconds }) => length(lag_seconds * 1_000) },
    { name: 'reported', show: ({ reported_at }) => <Age at={reported_at} /> },
    { name: 'by', wide: true, show: ({ reported_by }) => reported_by },
    ...(mayAct
      ? [
          {
            name: 'action',
            show: ({ name }: ConsumerDto) => (
              <button type="button" className="plain" onClick={() => setChosen(name)}>
                Forget<span className="hidden"> {name}</span>
              </button>
            ),
          },
        ]
      : []),
  ];
  return (
    <Section title="Consumers" note={<Commands call="listConsumers" />}>
      <Shown query={answer} of="the consumers" rows={3}>
        {answer.data?.data.length === 0 ? (
          <Empty>No consumer reports a position. Services that read the change feed can report theirs.</Empty>
        ) : (
          <Table label="Consumers" columns={columns} rows={answer.data?.data ?? []} keyOf={({ name }) => name} />
        )}
      </Shown>
      {chosen !== null && (
        <Confirm
          title={`Remove ${chosen}`}
          act={`Remove ${chosen}`}
          onClose={() => setChosen(null)}
          run={() => forget.mutateAsync({ path: { name: chosen } })}
        >
          <p>Its position is deleted. If it still runs, it reappears with its next report.</p>
        </Confirm>
      )}
    </Section>
  );
}

function Standing({ consumer: { expired, lag } }: { readonly consumer: ConsumerDto }): ReactNode {
  if (expired) return <StateMark state="failed">must start over: changes after its position were deleted</StateMark>;
  return lag === 0 ? <StateMark state="received">up to date</StateMark> : <StateMark state="waiting">behind</StateMark>;
}
