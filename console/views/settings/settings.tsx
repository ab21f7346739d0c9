import { type ReactNode, useState } from 'react';
import type { SessionDto, SettingsDto } from '../../lib/api.js';
import { useAct, useAnswer } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { applyTheme, chosenTheme, type Theme, themes } from '../../lib/theme.js';
import { Age } from '../../parts/age.js';
import { Failure, Forbidden, Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Facts, Page, Section } from '../../parts/page.js';
import { type Column, Table } from '../../parts/table.js';
import { Doctor } from './doctor.js';

const perMinute = { every: 60_000 };
const sessionsReading = { every: 30_000 };

/** The configuration without secrets, keys by name, signed-in people, and the appearance of the console. */
export default function Settings(): ReactNode {
  const maySee = useMay('viewer');
  // What is below appears once everything above has its height, so that nothing moves.
  const isMoving = useAnswer('getSettings', undefined, { ...perMinute, enabled: maySee }).isPending && maySee;
  const isListMoving = useAnswer('listSessions', undefined, sessionsReading).isPending;
  return (
    <Page title="Settings" commands={maySee && <Commands call="getSettings" />}>
      {maySee ? <Configuration /> : <Forbidden needed="viewer" what="The configuration" />}
      <div hidden={isMoving}>
        <Sessions />
        <div hidden={isListMoving}>
          <Appearance />
        </div>
      </div>
    </Page>
  );
}

const keyColumns: readonly Column<SettingsDto['keys'][number]>[] = [
  { name: 'name', show: ({ name }) => name },
  { name: 'role', show: ({ role, feed_values }) => (feed_values ? `${role}, with values` : role) },
  { name: 'last recorded', show: ({ last_recorded_at }) => <Age at={last_recorded_at} absent="never" /> },
];

const secretColumns: readonly Column<SettingsDto['webhook_secret_uses'][number]>[] = [
  { name: 'secret digest', show: ({ fingerprint }) => <code>{fingerprint}</code> },
  { name: 'known since', show: ({ known_since }) => <Age at={known_since} /> },
  { name: 'last used', show: ({ last_used_at }) => <Age at={last_used_at} absent="unknown" /> },
];

const variableColumns: readonly Column<SettingsDto['variables'][number]>[] = [
  { name: 'variable', show: ({ name }) => <code>{name}</code> },
  { name: 'value', wide: true, show: ({ value }) => value ?? <span className="muted">not set</span> },
];

function Configuration(): ReactNode {
  const query = useAnswer('getSettings', undefined, perMinute);
  return (
    <Shown query={query} of="the configuration" rows={10}>
      {query.data && (
        <>
          <Facts
            facts={[
              ['Pulsekeep', query.data.versions.pulsekeep],
              ['Node', query.data.versions.node],
              ['database', query.data.versions.database],
              ['schema', query.data.versions.schema ?? 'none'],
              [
                'upstream',
                `${query.data.upstream.base_url} (${query.data.upstream.environment}, ${query.data.upstream.region})`,
              ],
              ['webhook secrets accepted', query.data.webhook_secrets],
            ]}
          />
          <Doctor />
          <Section title="Webhook secrets" note="as seen by this process">
            <Table
              label="Webhook secrets"
              columns={secretColumns}
              rows={query.data.webhook_secret_uses}
              keyOf={({ fingerprint }) => fingerprint}
            />
          </Section>
          <Section title="Keys" note="last use as recorded in the access log">
            <Table label="Keys" columns={keyColumns} rows={query.data.keys} keyOf={({ name }) => name} />
          </Section>
          <Section title="Configuration" note="without secrets">
            <Table
              label="Configuration"
              columns={variableColumns}
              rows={query.data.variables}
              keyOf={({ name }) => name}
            />
          </Section>
        </>
      )}
    </Shown>
  );
}

function Sessions(): ReactNode {
  const query = useAnswer('listSessions', undefined, sessionsReading);
  const end = useAct('endSession');
  const columns: readonly Column<SessionDto>[] = [
    { name: 'who', show: ({ name, current }) => (current ? `${name} (this browser)` : name) },
    { name: 'role', show: ({ role }) => role },
    { name: 'signed in', show: ({ kind }) => (kind === 'key' ? 'with a key' : 'through the identity provider') },
    { name: 'since', show: ({ created_at }) => <Age at={created_at} /> },
    { name: 'last used', show: ({ used_at }) => <Age at={used_at} /> },
    { name: 'ends', show: ({ expires_at }) => <Age at={expires_at} /> },
    {
      name: 'action',
      show: ({ session_id, name, current }) =>
        current ? null : (
          <button
            type="button"
            disabled={end.isPending}
            onClick={() => end.mutate({ path: { session_id } })}
            aria-label={`End the session of ${name}`}
          >
            End the session
          </button>
        ),
    },
  ];
  return (
    <Section title="Sessions" note="signed-in browsers">
      {end.isError && <Failure error={end.error} refused="The session continues." />}
      <Shown query={query} of="the sessions" rows={2}>
        <Table
          label="Sessions"
          columns={columns}
          rows={query.data?.data ?? []}
          keyOf={({ session_id }) => session_id}
        />
      </Shown>
    </Section>
  );
}

function Appearance(): ReactNode {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  return (
    <Section title="Appearance" note="in this browser">
      <fieldset className="choices">
        <legend className="hidden">Theme</legend>
        {themes.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="theme"
              checked={theme === one}
              onChange={() => {
                applyTheme(one);
                setTheme(one);
              }}
            />{' '}
            {one}
          </label>
        ))}
      </fieldset>
    </Section>
  );
}
