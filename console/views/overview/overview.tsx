import './overview.css';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { length } from '../../lib/ages.js';
import type { OverviewDto } from '../../lib/api.js';
import { withFilters } from '../../lib/filters.js';
import { useAnswer } from '../../lib/queries.js';
import { counted, named, plain } from '../../lib/words.js';
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

function Flow({
  overview: { inbox, sync, accounts, waiting, audits, replica },
}: {
  readonly overview: OverviewDto;
}): ReactNode {
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
          <CountOf count={inbox.dead} noun="dead" href="/messages?status=dead" />
        </Figure>
        <Figure name="Pulls" value={sync.tasks.pending + sync.tasks.running} unit="open">
          lag {length(sync.lag_seconds * 1_000)}, {sync.tasks.running} running
        </Figure>
        <Figure name="Historical pulls" value={sync.historical_pulls.retrying} unit="retrying">
          <CountOf count={sync.historical_pulls.failed} noun="failed" href="/pulls?list=historical&status=failure" />,{' '}
          <CountOf
            count={sync.historical_pulls.stuck}
            noun="stuck"
            href="/pulls?list=historical&running=more_than_a_day"
          />
        </Figure>
        <Proofs audits={audits} />
        {replica && <Replica replica={replica} />}
        <Figure name="Disk" value={<DiskInBrief />} />
        <Figure name="Upstream" value={<CallsInBrief />} />
        <Figure name="Accounts" value={accounts.active} unit="active">
          <OtherAccounts accounts={accounts} />
        </Figure>
      </dl>
      {waiting.length > 0 && (
        <p className="retries">
          <StateMark state="waiting">Waiting for a retry:</StateMark>
          {waiting.map(({ kind, last_error, count }) => (
            <span key={`${kind} ${last_error}`}>
              <Waiting kind={kind} error={last_error} count={count} />{' '}
              <span className="muted">after {plain(last_error)}</span>
            </span>
          ))}
        </p>
      )}
    </Section>
  );
}

/** Rows of a queue that wait, as a link if they have a list. */
function Waiting({
  kind,
  error,
  count,
}: {
  readonly kind: string;
  readonly error: string;
  readonly count: number;
}): ReactNode {
  const words = `${count.toLocaleString('en')} × ${kind === 'sync_task' ? 'pull' : plain(kind)}`;
  if (kind === 'message')
    return <Link href={`/messages${withFilters('', { status: 'retry', reason: error })}`}>{words}</Link>;
  return kind === 'sync_task' ? <Link href="/pulls?status=pending">{words}</Link> : words;
}

function Proofs({ audits }: Pick<OverviewDto, 'audits'>): ReactNode {
  const share = audits.proven_share_30_days.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });
  return (
    <Figure name="Oldest proof" value={<Age at={audits.oldest_proof_at} absent="none yet" />}>
      {audits.compared > 0 && `${share} of compared days proven in 30 days, `}
      {audits.different === 0 ? (
        'no differences'
      ) : (
        <Link href="/pulls?list=audits">{counted(audits.different, 'day')} with differences</Link>
      )}
      {audits.held > 0 && `, ${audits.held.toLocaleString('en')} held`}
    </Figure>
  );
}

const unused: Readonly<Record<NonNullable<NonNullable<OverviewDto['replica']>['reason']>, string>> = {
  behind: 'too far behind',
  unreachable: 'unreachable',
  writable: 'not a standby',
  other_database: 'a standby of another database',
  untold: 'the primary does not report its history',
  unseen: 'not looked at yet',
};

/** Lag of the replica, or why reads go to the primary. */
function Replica({ replica }: { readonly replica: NonNullable<OverviewDto['replica']> }): ReactNode {
  const { used, reason, lag_seconds } = replica;
  return (
    <Figure
      name="Replica"
      value={lag_seconds === null ? '–' : lag_seconds.toLocaleString('en', { maximumFractionDigits: 1 })}
      {...(lag_seconds !== null && { unit: 's behind' })}
    >
      {used ? 'lists and exports read from it' : `not used: ${reason === null ? 'unknown' : unused[reason]}`}
    </Figure>
  );
}

/** Number of accounts in each inactive status, without zeros. */
function OtherAccounts({ accounts }: Pick<OverviewDto, 'accounts'>): ReactNode {
  const others = (['pending', 'blocked', 'erasing', 'user_gone'] as const).filter((status) => accounts[status] > 0);
  if (others.length === 0) return 'all active';
  return others.map((status, index) => (
    <span key={status}>
      {index > 0 && ', '}
      <CountOf count={accounts[status]} noun={otherAccounts[status]} href={`/accounts?status=${status}`} />
    </span>
  ));
}

const otherAccounts = { pending: 'pending', blocked: 'blocked', erasing: 'being erased', user_gone: 'to relink' };

/** "3 dead" as a link to what is counted; plain if there is none. */
function CountOf({
  count,
  noun,
  href,
}: {
  readonly count: number;
  readonly noun: string;
  readonly href: string;
}): ReactNode {
  const words = `${count.toLocaleString('en')} ${noun}`;
  return count === 0 ? words : <Link href={href}>{words}</Link>;
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
    return [
      `Still on ${named(provider)} (retired)`,
      count,
      `/accounts?list=sources&provider=${encodeURIComponent(provider)}`,
    ];
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
              {name} <Count count={connection_states[name]} href={sourcesHref(name)} />
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
                show: (provider: string) => (
                  <Count count={countOf(connections, provider, name)} href={sourcesHref(name, provider)} />
                ),
              })),
            ]}
          />
        </div>
      )}
    </Section>
  );
}

/** A count as a link to what it counts; plain if it is zero or no list shows exactly that. */
function Count({ count, href }: { readonly count: number; readonly href: string | undefined }): ReactNode {
  const shown = count.toLocaleString('en');
  if (count === 0 || href === undefined) return <span className={count === 0 ? 'muted' : undefined}>{shown}</span>;
  return <Link href={href}>{shown}</Link>;
}

/** Sources in a state. Disconnected ones and unknown words have no list of their own. */
function sourcesHref(state: keyof OverviewDto['connection_states'], provider?: string): string | undefined {
  if (state === 'disconnected' || state === 'other') return undefined;
  return `/accounts${withFilters('', { list: 'sources', provider, state })}`;
}

function countOf(connections: OverviewDto['connections'], provider: string, name: string): number {
  const named = sourceStates.map(([state]) => state as string);
  return connections
    .filter(
      (one) => one.provider === provider && (name === 'other' ? !named.includes(one.status) : one.status === name),
    )
    .reduce((sum, { count }) => sum + count, 0);
}
