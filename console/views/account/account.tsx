import './account.css';
import { type ReactNode, useMemo, useState } from 'react';
import { type AccountDetailDto, type ErasureDto, PulsekeepError } from '../../lib/api.js';
import { day, month, oneOf, text } from '../../lib/filters.js';
import { useAnswer } from '../../lib/queries.js';
import { useFilters } from '../../lib/use-filters.js';
import { Empty, Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Page } from '../../parts/page.js';
import { Tabs } from '../../parts/tabs.js';
import { Acts, Receipt } from './acts.js';
import { Coverage } from './coverage.js';
import { DayPanel } from './day-panel.js';
import { AccountOrders, Timeline } from './lists.js';
import { Proofs } from './proofs.js';
import { Records } from './records.js';
import { SourceMarks, Sources } from './sources.js';
import { StatusMark } from './status-mark.js';
import { Tokens } from './tokens.js';
import { Totals } from './totals.js';

const tabs = ['day', 'records', 'totals', 'sources', 'timeline', 'orders', 'proofs', 'tokens'] as const;

const filters = {
  tab: oneOf(tabs),
  span: oneOf(['quarter', 'month'] as const),
  month,
  day,
  resource: text,
  provider: text,
};

/** One account: where its data comes from, which days are covered, and why a day is missing. */
export default function Account({ accountId: account_id }: { readonly accountId: string }): ReactNode {
  const [values, change] = useFilters(filters);
  // Read only once and after actions, because the access log records every read of an account.
  const query = useAnswer('getAccount', { path: { account_id } }, { every: false });
  // The account is deleted before its erasure is complete.
  const [receipt, setReceipt] = useState<ErasureDto | null>(null);
  const tab = values.tab ?? 'day';
  const { day: date, resource, provider } = values;
  const open = useMemo(
    () => (date && resource && provider ? { day: date, resource, provider } : null),
    [date, resource, provider],
  );
  const commands = <Commands call="getAccount" options={{ path: { account_id } }} />;
  const kept = receipt && <Receipt first={receipt} />;
  if (isUnknown(query.error)) {
    return (
      <Page title={account_id} commands={commands}>
        {kept}
        <Empty>
          No account has this id. An account appears with the first sign-in in your app, and is removed by an erasure.
        </Empty>
      </Page>
    );
  }
  return (
    <Page title={account_id} id={account_id} commands={commands}>
      {kept}
      <Shown query={query} of="the account" rows={3}>
        {query.data && <Head account={query.data} onReceipt={setReceipt} />}
      </Shown>
      <Coverage
        accountId={account_id}
        isHeadShown={!query.isPending}
        span={values.span ?? 'year'}
        month={monthOf(values)}
        open={open}
        onSpan={(span) => change({ span: span === 'year' ? undefined : span, month: undefined })}
        onMonth={(to) => change({ month: to })}
        onOpen={(opened) => change({ ...opened, tab: undefined })}
      >
        <Tabs
          label="Parts of the account"
          tabs={tabs.map((name) => [name, name === 'totals' ? 'daily numbers' : name])}
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
          {tab === 'proofs' && <Proofs accountId={account_id} />}
          {tab === 'tokens' && <Tokens accountId={account_id} />}
        </section>
      </Coverage>
    </Page>
  );
}

/** The chosen month, or that of the open day. */
function monthOf({
  month: chosen,
  day: opened,
}: {
  readonly month?: string;
  readonly day?: string;
}): string | undefined {
  return chosen ?? opened?.slice(0, 7);
}

function isUnknown(error: unknown): boolean {
  return error instanceof PulsekeepError && error.status === 404;
}

function Head({
  account,
  onReceipt,
}: {
  readonly account: AccountDetailDto;
  readonly onReceipt: (receipt: ErasureDto) => void;
}): ReactNode {
  return (
    <div className="account-head">
      <StatusMark status={account.status} />
      <SourceMarks account={account} />
      <Acts account={account} onReceipt={onReceipt} />
    </div>
  );
}
