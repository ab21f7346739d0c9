import { type ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import type { ErasureDto, ListedAccountDto, SourceDto } from '../../lib/api.js';
import { everyOf } from '../../lib/every.js';
import { type FilterValues, oneOf, text } from '../../lib/filters.js';
import { later } from '../../lib/later.js';
import { type Row, useRows } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { useFilters } from '../../lib/use-filters.js';
import { named, nothingIn, plain } from '../../lib/words.js';
import { Age } from '../../parts/age.js';
import { Commands, Id } from '../../parts/copy.js';
import { Choice, TextFilter } from '../../parts/fields.js';
import { Page } from '../../parts/page.js';
import { type Column, ListTable } from '../../parts/table.js';
import { Tabs } from '../../parts/tabs.js';
import { StatusMark } from '../account/status-mark.js';

const statuses = everyOf<ListedAccountDto['status']>()(['pending', 'active', 'blocked', 'erasing', 'user_gone']);
const lists = ['accounts', 'sources', 'sign_ins', 'erasures'] as const;
/** Words of upstream, which may add others. */
const sourceStatuses = ['connected', 'error', 'paused'] as const;
const filters = { list: oneOf(lists), q: text, status: oneOf(statuses), provider: text, state: text };

const columns: readonly Column<ListedAccountDto>[] = [
  { name: 'account', show: ({ account_id }) => <Id id={account_id} whole /> },
  { name: 'status', show: ({ status }) => <StatusMark status={status} /> },
  { name: 'sources', wide: true, show: ({ sources }) => <SourcesInBrief sources={sources} /> },
  { name: 'data changed', show: ({ sources }) => <Age at={lastData(sources)} absent="none" /> },
  { name: 'created', show: ({ created_at }) => <Age at={created_at} /> },
  { name: 'time zone', show: ({ fallback_time_zone }) => fallback_time_zone ?? '–' },
  { name: 'upstream user', show: ({ user_id }) => (user_id === null ? '–' : <Id id={user_id} />) },
];

function SourcesInBrief({ sources }: Pick<ListedAccountDto, 'sources'>): ReactNode {
  if (sources.length === 0) return <span className="muted">none</span>;
  return (
    <span className="line">
      {sources.map(({ provider, status }) => (
        <StatusMark key={provider} status={status}>
          {provider}
          <span className={status === 'connected' ? 'hidden' : undefined}> {status}</span>
        </StatusMark>
      ))}
    </span>
  );
}

function lastData(sources: ListedAccountDto['sources']): string | null {
  return (
    sources
      .flatMap(({ data_changed_at }) => data_changed_at ?? [])
      .sort()
      .at(-1) ?? null
  );
}

const Account = later(() => import('../account/account.js'));

/** The list of accounts, or one account. */
export default function AccountsOrOne(): ReactNode {
  const { account_id } = useParams<{ account_id?: string }>();
  return account_id === undefined ? <Accounts /> : <Account key={account_id} accountId={account_id} />;
}

function Accounts(): ReactNode {
  const [{ list, state, ...values }] = useFilters(filters);
  if (list === 'sign_ins') return <FrequentSignIns />;
  if (list === 'erasures') return <Erasures />;
  if (list === 'sources') return <Sources provider={values.provider} state={state} />;
  return <AllAccounts {...values} />;
}

const names = { accounts: 'All', sources: 'Sources', sign_ins: 'Frequent sign-ins', erasures: 'Erasures' } as const;

/** A list of accounts below the tabs of all, with its filters. */
function Listed({
  shown,
  children,
}: {
  readonly shown: (typeof lists)[number];
  readonly children: ReactNode;
}): ReactNode {
  const mayErase = useMay('operator');
  const tabs = lists.filter((name) => mayErase || name !== 'erasures');
  return (
    <Page title="Accounts">
      <Tabs label="Lists of accounts" tabs={tabs.map((name) => [name, names[name]])} shown={shown} />
      <section className="tab" aria-label={names[shown]}>
        {children}
      </section>
    </Page>
  );
}

/** Accounts, oldest first, filtered by part of their id. */
function AllAccounts(values: Omit<FilterValues<typeof filters>, 'list' | 'state'>): ReactNode {
  const [, change] = useFilters(filters);
  const [, navigate] = useLocation();
  const query = { ...values };
  const list = useRows('listAccounts', { query });
  return (
    <Listed shown="accounts">
      <search className="filters" aria-label="Filters">
        <TextFilter label="id" value={values.q} onChange={(q) => change({ q })} />
        <Choice label="status" value={values.status} values={statuses} onChange={(status) => change({ status })} />
        <TextFilter label="provider" value={values.provider} onChange={(provider) => change({ provider })} />
      </search>
      <Commands call="listAccounts" options={{ query: { limit: 100, ...query } }} />
      <ListTable
        label="Accounts"
        columns={columns}
        list={list}
        keyOf={({ account_id }) => account_id}
        onOpen={({ account_id }) => navigate(`/accounts/${encodeURIComponent(account_id)}`)}
        empty={nothingIn(
          'account',
          query,
          'The first sign-in in your app creates one.',
          'Enter part of an account id, or the beginning of an upstream user id.',
        )}
      />
    </Listed>
  );
}

const sourceColumns: readonly Column<SourceDto>[] = [
  { name: 'account', show: ({ account_id }) => <Id id={account_id} whole /> },
  { name: 'source', show: ({ provider }) => provider },
  {
    name: 'state',
    wide: true,
    show: ({ status, error_type, retirement }) => (
      <>
        <StatusMark status={status} />
        {error_type !== null && <span className="muted"> {error_type.replaceAll('_', ' ')}</span>}
        {retirement !== null && <span className="muted"> · retired, replaced by {named(retirement.successor)}</span>}
      </>
    ),
  },
  { name: 'data changed', show: ({ data_changed_at }) => <Age at={data_changed_at} absent="none" /> },
  { name: 'connected', show: ({ connected_at }) => <Age at={connected_at} absent="unknown" /> },
  { name: 'reported', show: ({ observed_at }) => <Age at={observed_at} /> },
];

/** Sources that are not disconnected, of all accounts. */
function Sources({ provider, state }: Pick<FilterValues<typeof filters>, 'provider' | 'state'>): ReactNode {
  const [, change] = useFilters(filters);
  const [, navigate] = useLocation();
  const query = { provider, status: state };
  const known = sourceStatuses.find((one) => one === state);
  return (
    <Listed shown="sources">
      <search className="filters" aria-label="Filters">
        <TextFilter label="provider" value={provider} onChange={(chosen) => change({ provider: chosen })} />
        <Choice label="state" value={known} values={sourceStatuses} onChange={(chosen) => change({ state: chosen })} />
      </search>
      <Commands call="listSources" options={{ query: { limit: 100, ...query } }} />
      <ListTable
        label="Sources"
        columns={sourceColumns}
        list={useRows('listSources', { query })}
        keyOf={({ account_id, provider: of }) => `${account_id} ${of}`}
        onOpen={({ account_id }) => navigate(`/accounts/${encodeURIComponent(account_id)}?tab=sources`)}
        empty={nothingIn(
          'source',
          query,
          'People connect sources with a link token.',
          'Disconnected sources are listed with their account only.',
        )}
      />
    </Listed>
  );
}

const signInColumns: readonly Column<Row<'listFrequentSignIns'>>[] = [
  { name: 'account', show: ({ account_id }) => <Id id={account_id} whole /> },
  {
    name: 'installation',
    show: ({ installation_id }) => (installation_id === null ? 'not sent by the app' : <Id id={installation_id} />),
  },
  { name: 'tokens', number: true, show: ({ tokens }) => tokens.toLocaleString('en') },
  { name: 'last token', show: ({ last_issued_at }) => <Age at={last_issued_at} /> },
];

/** App installations that request a sign-in token at every launch. */
function FrequentSignIns(): ReactNode {
  const [, navigate] = useLocation();
  return (
    <Listed shown="sign_ins">
      <Commands call="listFrequentSignIns" />
      <ListTable
        label="Frequent sign-ins"
        columns={signInColumns}
        list={useRows('listFrequentSignIns')}
        keyOf={({ account_id, installation_id }) => `${account_id} ${installation_id ?? ''}`}
        onOpen={({ account_id }) => navigate(`/accounts/${encodeURIComponent(account_id)}`)}
        empty="No app installation received too many sign-in tokens in the last 24 hours."
      />
    </Listed>
  );
}

const erasureColumns: readonly Column<ErasureDto>[] = [
  { name: 'receipt', show: ({ erasure_id }) => <Id id={erasure_id} /> },
  {
    name: 'state',
    wide: true,
    show: ({ state, error_code }) => [state, ...(error_code === null ? [] : [plain(error_code)])].join(', '),
  },
  { name: 'requested', show: ({ requested_at }) => <Age at={requested_at} /> },
  { name: 'by', show: ({ requested_by }) => requested_by },
  { name: 'deleted here', show: ({ deleted_at }) => <Age at={deleted_at} absent="not yet" /> },
  { name: 'deleted upstream', show: ({ upstream_at }) => <Age at={upstream_at} absent="not yet" /> },
  { name: 'checked again', show: ({ verified_at }) => <Age at={verified_at} absent="not yet" /> },
];

/** Receipts of erasures, newest first. */
function Erasures(): ReactNode {
  return (
    <Listed shown="erasures">
      <Commands call="listErasures" />
      <ListTable
        label="Erasures"
        columns={erasureColumns}
        list={useRows('listErasures')}
        keyOf={({ erasure_id }) => erasure_id}
        empty="No account was erased."
      />
    </Listed>
  );
}
