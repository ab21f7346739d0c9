import { type ReactNode, useState } from 'react';
import type { AccountDetailDto, ConnectionDto, DisconnectionDto } from '../../lib/api.js';
import { useAct } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { named } from '../../lib/words.js';
import { Age } from '../../parts/age.js';
import { Empty } from '../../parts/conditions.js';
import { Id } from '../../parts/copy.js';
import { Confirm } from '../../parts/dialog.js';
import { Facts } from '../../parts/page.js';
import { type Column, Table } from '../../parts/table.js';
import { StatusMark } from './status-mark.js';

/** The sources of a person in one line, with the state of each and its last data. */
export function SourceMarks({ account: { connections } }: { readonly account: AccountDetailDto }): ReactNode {
  if (connections.length === 0) return <span className="muted">No source was ever connected.</span>;
  return (
    <ul className="source-marks" aria-label="Sources in brief">
      {connections.map((connection) => (
        <li key={connection.provider}>
          <strong>{named(connection.provider)}</strong>
          <StateInBrief connection={connection} />,{' '}
          {connection.last_data_at === null ? (
            'no data yet'
          ) : (
            <>
              last data <Age at={connection.last_data_at} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The sources of a person with their states and last data. */
export function Sources({ account }: { readonly account: AccountDetailDto }): ReactNode {
  const { account_id, user_id, fallback_time_zone, connections, devices } = account;
  const [chosen, setChosen] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<DisconnectionDto | null>(null);
  const disconnect = useAct('disconnectSource');
  const mayAct = useMay('operator');
  const columns: readonly Column<ConnectionDto>[] = [
    { name: 'source', show: ({ provider }) => provider },
    { name: 'state', show: (connection) => <SourceState connection={connection} /> },
    { name: 'last data', show: ({ last_data_at }) => <Age at={last_data_at} absent="none" /> },
    { name: 'connected', show: ({ connected_at }) => <Age at={connected_at} absent="unknown" /> },
    { name: 'reported', show: ({ observed_at }) => <Age at={observed_at} /> },
    { name: 'devices', wide: true, show: ({ provider }) => devicesOf(devices, provider) },
    ...(mayAct
      ? [
          {
            name: 'action',
            show: ({ provider, status }: ConnectionDto) =>
              status === 'disconnected' ? null : (
                <button type="button" className="plain" onClick={() => setChosen(provider)}>
                  Disconnect<span className="hidden"> {provider}</span>
                </button>
              ),
          },
        ]
      : []),
  ];
  return (
    <>
      <Facts
        facts={[
          ['upstream user', user_id === null ? 'none' : <Id key="id" id={user_id} whole />],
          ['fallback time zone', fallback_time_zone ?? 'unknown'],
          ['linked', <Age key="linked" at={account.linked_at} absent="not yet" />],
        ]}
      />
      {connections.length === 0 ? (
        <Empty>No source was ever connected. Connect one with a link token.</Empty>
      ) : (
        <Table label="Sources" columns={columns} rows={connections} keyOf={({ provider }) => provider} />
      )}
      {outcome && (
        <p className="notice" role="status">
          {outcome.provider}: {outcome.outcome.replaceAll('_', ' ')}. {outcome.note}
        </p>
      )}
      {chosen !== null && (
        <Confirm
          title={`Disconnect ${chosen}`}
          act={`Disconnect ${chosen}`}
          typed={account_id}
          destructive
          onClose={() => setChosen(null)}
          run={async () => setOutcome(await disconnect.mutateAsync({ path: { account_id, provider: chosen } }))}
        >
          <p>
            Upstream stops pulling {chosen} for this person. Stored records stay. To undo this, the person must
            reconnect it in the app.
          </p>
        </Confirm>
      )}
    </>
  );
}

function StateInBrief({ connection: { status, retirement } }: { readonly connection: ConnectionDto }): ReactNode {
  if (!retirement || status === 'disconnected') return <StatusMark status={status} />;
  return <StatusMark status="error">Retired – reconnect with {named(retirement.successor)}</StatusMark>;
}

function SourceState({ connection }: { readonly connection: ConnectionDto }): ReactNode {
  const { status, error_type, error_at, retirement } = connection;
  if (retirement && status !== 'disconnected') {
    return (
      <StatusMark status="error">
        Retired, still {status} – reconnect with {named(retirement.successor)}
      </StatusMark>
    );
  }
  if (status !== 'error') return <StatusMark status={status} />;
  return (
    <span className="line source-state">
      <StatusMark status={status} />
      <span>{(error_type ?? 'cause not reported').replaceAll('_', ' ')}</span>
      <Age at={error_at} absent="" />
    </span>
  );
}

function devicesOf(devices: AccountDetailDto['devices'], provider: string): string {
  const own = devices.filter((device) => device.provider === provider);
  if (own.length === 0) return '–';
  return own
    .map(
      ({ manufacturer, model, source_type }) =>
        [manufacturer, model].filter(Boolean).join(' ') || (source_type ?? 'device'),
    )
    .join(', ');
}
