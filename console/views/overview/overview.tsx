import './overview.css';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { length } from '../../lib/ages.js';
import type { OverviewDto } from '../../lib/api.js';
import { useAnswer } from '../../lib/queries.js';
import { Age } from '../../parts/age.js';
import { Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Page, Section } from '../../parts/page.js';
import { type State, StateMark, StateShape } from '../../parts/state.js';
import { Table } from '../../parts/table.js';
import { CallsInBrief, Deliveries, Upstream } from './activity.js';
import { Alarm, checks } from './alarm.js';
import { DiskInBrief } from './disk.js';

/** Current problems, most urgent first, then work to do, then the state of each part. */
export default function Overview(): ReactNode {
  const query = useAnswer('getOverview', undefined, { every: 5_000 });
  return (
    <Page title="Overview" commands={<Commands call="getOverview" />}>
      <Shown query={query} of="the overview" rows={10}>
        {query.data && <Found overview={query.data} />}
      </Shown>
    </Page>
  );
}

function Found({ overview }: { readonly overview: OverviewDto }): ReactNode {
  const { alarms } = overview;
  const open = alarms.filter(({ acknowledged }) => acknowledged === null).length;
  const seen = alarms.length - open;
  return (
    <>
      <section aria-label="Alarms">
        {alarms.length === 0 ? (
          <p className="quiet">
            <StateShape state="received" />
            <span>
              No alarms: all {checks} checks pass. Checked <Age at={overview.at} />.
            </span>
          </p>
        ) : (
          <>
            <h2 className="line between">
              {open} {open === 1 ? 'alarm needs' : 'alarms need'} attention
              {seen > 0 && `, ${seen} acknowledged`}
              <span className="note">{checks - alarms.length} other checks pass</span>
            </h2>
            <ol className="alarm-list">
              {alarms.map((alarm) => (
                <Alarm key={alarm.code} alarm={alarm} />
              ))}
            </ol>
          </>
        )}
      </section>
      <Flow overview={overview} />
      <Deliveries />
      <WorkLists overview={overview} />
      <Sources overview={overview} />
      <Upstream />
    </>
  );
}

function Flow({ overview: { inbox, sync, accounts, waiting, audits } }: { readonly overview: OverviewDto }): ReactNode {
  return (
    <Section title="Flow">
      <dl className="figures">
        <Figure name="Inbox" value={inbox.depth} unit={inbox.depth === 1 ? 'message queued' : 'messages queued'}>
          {inbox.oldest_received_at === null ? (
            'none overdue'
          ) : (
            <>
              oldest <Age at={inbox.oldest_received_at} />
            </>
          )}
        </Figure>
        <Figure name="Last delivery" value={<Age at={inbox.last_delivery_at} absent="none yet" />}>
          {inbox.dead === 0 ? 'no dead messages' : `${inbox.dead} dead`}
        </Figure>
        <Figure name="Pulls" value={sync.tasks.pending + sync.tasks.running} unit="open">
          lag {length(sync.lag_seconds * 1_000)}, {sync.tasks.running} running
        </Figure>
        <Figure name="Historical pulls" value={sync.historical_pulls.retrying} unit="retrying">
          {sync.historical_pulls.failed} failed, {sync.historical_pulls.stuck} stuck
        </Figure>
        <Proofs audits={audits} />
        <Figure name="Disk" value={<DiskInBrief />} />
        <Figure name="Upstream" value={<CallsInBrief />} />
        <Figure name="Accounts" value={accounts.active} unit="active">
          {othersIn(accounts)}
        </Figure>
      </dl>
      {waiting.length > 0 && (
        <p className="retries">
          <StateMark state="waiting">Waiting for a retry:</StateMark>
          {waiting.map(({ kind, last_error, count }) => (
            <span key={`${kind} ${last_error}`}>
              {count} × {kind.replaceAll('_', ' ')}{' '}
              <span className="muted">after {last_error.replaceAll('_', ' ')}</span>
            </span>
          ))}
        </p>
      )}
    </Section>
  );
}

function Proofs({ audits }: Pick<OverviewDto, 'audits'>): ReactNode {
  const share = audits.proven_share_30_days.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });
  return (
    <Figure name="Oldest proof" value={<Age at={audits.oldest_proof_at} absent="none yet" />}>
      {audits.compared > 0 && `${share} of compared days proven in 30 days, `}
      {audits.different === 0 ? 'no day different' : `${audits.different.toLocaleString('en')} days different`}
      {audits.held > 0 && `, ${audits.held.toLocaleString('en')} held`}
    </Figure>
  );
}

/** Number of accounts in each inactive status, without zeros. */
function othersIn({ pending, blocked, erasing, user_gone }: OverviewDto['accounts']): string {
  const parts: readonly (readonly [number, string])[] = [
    [pending, 'pending'],
    [blocked, 'blocked'],
    [erasing, 'being erased'],
    [user_gone, 'to relink'],
  ];
  const some = parts.flatMap(([count, word]) => (count > 0 ? [`${count.toLocaleString('en')} ${word}`] : []));
  return some.join(', ') || 'all active';
}

function Figure({
  name,
  value,
  unit,
  children,
}: {
  readonly name: string;
  readonly value: ReactNode;
  readonly unit?: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className="value">
          {value}
          {unit !== undefined && <span className="unit"> {unit}</span>}
        </span>
        {children !== undefined && <span className="note">{children}</span>}
      </dd>
    </div>
  );
}

function WorkLists({ overview }: { readonly overview: OverviewDto }): ReactNode {
  const { orders, inbox, sync, accounts, connections, alarms } = overview;
  const held = alarms.find(({ code }) => code === 'deletions_held')?.count ?? 0;
  const work: readonly Work[] = [
    ['Patients to notify: critical results', orders.critical_results_untold, '/orders?list=critical'],
    ['Patients to notify: redraws', orders.redraws_untold, '/orders?list=redraws'],
    ['Results to review', orders.results_to_review, '/orders?list=review'],
    ['Dead messages', inbox.dead, '/messages?status=dead'],
    ['Failed pulls', sync.tasks.failed, '/pulls?status=failed'],
    ['Held deletions', held, '/pulls?list=deletions'],
    ['Slow consumers', overview.consumers_lagging, '/changes'],
    ['Accounts to relink', accounts.user_gone, '/accounts?status=user_gone'],
    ...retiredIn(connections),
  ];
  return (
    <Section title="To do">
      <ul className="work">
        {work.map(([name, count, href]) => (
          <li key={name} className={count > 0 ? 'some' : undefined}>
            <Link href={href}>
              {name} <span className="number">{count}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Work = readonly [name: string, count: number, href: string];

/** People of retired providers, by the retired provider. */
function retiredIn(connections: OverviewDto['connections']): readonly Work[] {
  const retired = connections.filter(({ successor, status }) => successor !== null && status !== 'disconnected');
  const providers = [...new Set(retired.map(({ provider }) => provider))].sort();
  return providers.map((provider) => {
    const own = retired.filter((one) => one.provider === provider);
    const count = own.reduce((sum, one) => sum + one.count, 0);
    return [`On ${provider} (retired)`, count, `/accounts?provider=${encodeURIComponent(provider)}`];
  });
}

const sourceStates: readonly (readonly [keyof OverviewDto['connection_states'], State])[] = [
  ['connected', 'received'],
  ['error', 'failed'],
  ['paused', 'waiting'],
  ['disconnected', 'gone'],
  ['other', 'unknown'],
];

function Sources({ overview: { connections, connection_states } }: { readonly overview: OverviewDto }): ReactNode {
  const providers = [...new Set(connections.map(({ provider }) => provider))].sort();
  return (
    <Section
      title="Sources"
      note={
        <span className="line">
          {sourceStates.map(([name, state]) => (
            <StateMark key={name} state={state}>
              {name} {connection_states[name]}
            </StateMark>
          ))}
        </span>
      }
    >
      {providers.length === 0 ? (
        <p className="empty">No source is connected yet. People connect sources with a link token.</p>
      ) : (
        <div className="narrow">
          <Table
            label="Sources by provider"
            rows={providers}
            keyOf={(provider) => provider}
            columns={[
              { name: 'provider', show: (provider) => provider },
              ...sourceStates.map(([name]) => ({
                name,
                number: true,
                show: (provider: string) => <Count count={countOf(connections, provider, name)} />,
              })),
            ]}
          />
        </div>
      )}
    </Section>
  );
}

function Count({ count }: { readonly count: number }): ReactNode {
  return <span className={count === 0 ? 'muted' : undefined}>{count.toLocaleString('en')}</span>;
}

function countOf(connections: OverviewDto['connections'], provider: string, name: string): number {
  const named = sourceStates.map(([state]) => state as string);
  return connections
    .filter(
      (one) => one.provider === provider && (name === 'other' ? !named.includes(one.status) : one.status === name),
    )
    .reduce((sum, { count }) => sum + count, 0);
}
