import './account.css';
import { type ReactNode, useMemo } from 'react';
import { type AccountDetailDto, PulsekeepError } from '../../lib/api.js';
import { day, oneOf, text } from '../../lib/filters.js';
import { useAnswer } from '../../lib/queries.js';
import { useFilters } from '../../lib/use-filters.js';
import { Empty, Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Page } from '../../parts/page.js';
import { Tabs } from '../../parts/tabs.js';
import { Acts } from './acts.js';
import { Coverage } from './coverage.js';
import { DayPanel } from './day-panel.js';
import { AccountOrders, Timeline } from './lists.js';
import { Records } from './records.js';
import { SourceMarks, Sources } from './sources.js';
import { StatusMark } from './status-mark.js';
import { Tokens } from './tokens.js';
import { Totals } from './totals.js';

const tabs = ['day', 'records', 'totals', 'sources', 'timeline', 'orders', 'tokens'] as const;

const filters = {
  tab: oneOf(tabs),
  span: oneOf(['quarter', 'month'] as const),
  day,
  resource: text,
  provider: text,
};

/** One person's account: where data comes from, which days are there, and why one is not. */
export default function Account({ accountId: account_id }: { readonly accountId: string }): ReactNode {
  const [values, change] = useFilters(filters);
  // Every read of an account is recorded in the access log, so it is read once and after an act.
  const query = useAnswer('getAccount', { path: { account_id } }, { every: false });
  const tab = values.tab ?? 'day';
  const { day: date, resource, provider } = values;
  const open = useMemo(
    () => (date && resource && provider ? { day: date, resource, provider } : null),
    [date, resource, provider],
  );
  const commands = <Commands call="getAccount" options={{ path: { account_id } }} />;
  if (query.error instanceof PulsekeepError && query.error.status === 404) {
    return (
      <Page title={account_id} commands={commands}>
        <Empty>
          No account with this id is known here. It appears once its person signs in to your app, and it is gone after
          an erasure.
        </Empty>
      </Page>
    );
  }
  return (
    <Page title={account_id} id={account_id} commands={commands}>
      <Shown query={query} of="the account" rows={3}>
        {query.data && <Head account={query.data} />}
      </Shown>
      <Coverage
        accountId={account_id}
        isHeadShown={!query.isPending}
        span={values.span ?? 'year'}
        open={open}
        onSpan={(span) => change({ span: span === 'year' ? undefined : span })}
        onOpen={(opened) => change({ ...opened, tab: undefined })}
      >
        <Tabs
          label="Parts of the account"
          tabs={tabs.map((name) => [name, name])}
          shown={tab}
          filter="tab"
          kept={values}
        />
        <section className="tab" aria-label={tab}>
          {tab === 'day' && <DayPanel accountId={account_id} open={values} />}
          {tab === 'records' && (
            <Records
              accountId={account_id}
              resource={values.resource}
              provider={values.provider}
              day={values.day}
              onChange={change}
            />
          )}
          {tab === 'totals' && <Totals accountId={account_id} resource={values.resource} onChange={change} />}
          {tab === 'sources' && query.data && <Sources account={query.data} />}
          {tab === 'timeline' && <Timeline accountId={account_id} />}
          {tab === 'orders' && <AccountOrders accountId={account_id} />}
          {tab === 'tokens' && <Tokens accountId={account_id} />}
        </section>
      </Coverage>
    </Page>
  );
}

export interface OpenDay {
  readonly day: string;
  readonly resource: string;
  readonly provider: string;
}

function Head({ account }: { readonly account: AccountDetailDto }): ReactNode {
  return (
    <div className="account-head">
      <StatusMark status={account.status} />
      <SourceMarks account={account} />
      <Acts account={account} />
    </div>
  );
}
