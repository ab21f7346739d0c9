import { type ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import type { AccountSummaryDto } from '../../lib/api.js';
import { type FilterValues, oneOf, text } from '../../lib/filters.js';
import { later } from '../../lib/later.js';
import { type Row, useRows } from '../../lib/queries.js';
import { useFilters } from '../../lib/use-filters.js';
import { Age } from '../../parts/age.js';
import { Commands, Id } from '../../parts/copy.js';
import { Choice, TextFilter } from '../../parts/fields.js';
import { Page } from '../../parts/page.js';
import { type Column, ListTable } from '../../parts/table.js';
import { Tabs } from '../../parts/tabs.js';
import { StatusMark } from '../account/status-mark.js';

const statuses = ['pending', 'active', 'blocked', 'erasing', 'user_gone'] as const;
const lists = ['accounts', 'sign_ins'] as const;
const filters = { list: oneOf(lists), q: text, status: oneOf(statuses), provider: text };

const columns: readonly Column<AccountSummaryDto>[] = [
  { name: 'account', show: ({ account_id }) => <Id id={account_id} whole /> },
  { name: 'status', show: ({ status }) => <StatusMark status={status} /> },
  { name: 'linked', show: ({ linked_at }) => <Age at={linked_at} absent="never" /> },
  { name: 'created', show: ({ created_at }) => <Age at={created_at} /> },
  { name: 'time zone', show: ({ fallback_time_zone }) => fallback_time_zone ?? '–' },
  { name: 'upstream user', show: ({ user_id }) => (user_id === null ? '–' : <Id id={user_id} />) },
];

const Account = later(() => import('../account/account.js'));

/** The list of accounts, or one account. */
export default function AccountsOrOne(): ReactNode {
  const { account_id } = useParams<{ account_id?: string }>();
  return account_id === undefined ? <Accounts /> : <Account key={account_id} accountId={account_id} />;
}

function Accounts(): ReactNode {
  const [{ list, ...values }] = useFilters(filters);
  return list === 'sign_ins' ? <FrequentSignIns /> : <AllAccounts {...values} />;
}

function Lists({ shown }: { readonly shown: (typeof lists)[number] }): ReactNode {
  return (
    <Tabs
      label="Lists of accounts"
      tabs={[
        ['accounts', 'All'],
        ['sign_ins', 'Frequent sign-ins'],
      ]}
      shown={shown}
    />
  );
}

/** Accounts, oldest first, filtered by part of their id. */
function AllAccounts(values: Omit<FilterValues<typeof filters>, 'list'>): ReactNode {
  const [, change] = useFilters(filters);
  const [, navigate] = useLocation();
  const query = { ...values };
  const list = useRows('listAccounts', { query });
  const isFiltered = Object.keys(values).length > 0;
  return (
    <Page
      title="Accounts"
      filters={
        <>
          <TextFilter label="id" value={values.q} onChange={(q) => change({ q })} />
          <Choice label="status" value={values.status} values={statuses} onChange={(status) => change({ status })} />
          <TextFilter label="provider" value={values.provider} onChange={(provider) => change({ provider })} />
        </>
      }
      commands={<Commands call="listAccounts" options={{ query: { limit: 100, ...query } }} />}
    >
      <Lists shown="accounts" />
      <ListTable
        label="Accounts"
        columns={columns}
        list={list}
        keyOf={({ account_id }) => account_id}
        onOpen={({ account_id }) => navigate(`/accounts/${encodeURIComponent(account_id)}`)}
        empty={
          isFiltered
            ? 'No account matches these filters. Enter part of an account id or a full upstream user id.'
            : 'No accounts yet. The first sign-in in your app creates one.'
        }
      />
    </Page>
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
    <Page title="Accounts" commands={<Commands call="listFrequentSignIns" />}>
      <Lists shown="sign_ins" />
      <ListTable
        label="Frequent sign-ins"
        columns={signInColumns}
        list={useRows('listFrequentSignIns')}
        keyOf={({ account_id, installation_id }) => `${account_id} ${installation_id ?? ''}`}
        onOpen={({ account_id }) => navigate(`/accounts/${encodeURIComponent(account_id)}`)}
        empty="No app installation received too many sign-in tokens in the last 24 hours."
      />
    </Page>
  );
}
