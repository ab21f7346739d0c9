import type { Command } from 'commander';
import type { DisconnectionDto } from '../../ingest/sources/disconnecting.dto.js';
import type { AccountDetailDto } from '../accounts/account-detail.dto.js';
import type { AccountDto, AccountSummaryDto } from '../accounts/accounts.dto.js';
import { aligned, type CommonOptions, type Result, type Runner, withCommonOptions } from './command.js';
import { type Columns, fields, type ListOptions, listCommand, listed } from './lists.js';

interface DisconnectOptions extends CommonOptions {
  readonly replaced?: true;
}

export function addAccounts(accounts: Command, runner: Runner): void {
  listCommand(accounts.command('find').description('accounts, oldest first'))
    .argument('[text]', 'part of an account id, or a full upstream user id, pseudonym or account_ref from the log')
    .option('--status <status>', 'pending, active, blocked, erasing or user_gone')
    .option('--provider <name>', 'with a source of this provider')
    .action((q: string | undefined, options: ListOptions) =>
      runner.service(options, (session) => listed(session, '/accounts', options, accountColumns, { q })),
    );
  withCommonOptions(
    accounts.command('show').description('one account with its sources').argument('<account_id>'),
  ).action((account: string, options: CommonOptions) =>
    runner.service(options, async ({ admin }) => shownDetail(await admin.get<AccountDetailDto>(pathOf(account)))),
  );
  addAct(accounts, runner, 'block', 'issue no tokens to an account; stored data stays readable');
  addAct(accounts, runner, 'unblock', 'issue tokens to a blocked account again');
  addAct(accounts, runner, 'relink', 'create a new upstream user for an account whose user is gone upstream');
  const disconnect = accounts.command('disconnect').description('disconnect a source of an account; records stay');
  disconnect.option('--replaced', 'only if the provider is retired and its successor has taken over');
  withCommonOptions(disconnect.argument('<account_id>').argument('<provider>')).action(
    (account: string, provider: string, options: DisconnectOptions) =>
      runner.service(options, async ({ admin }) => {
        const path = `${pathOf(account)}/sources/${encodeURIComponent(provider)}`;
        const done = await (options.replaced
          ? admin.post<DisconnectionDto>(`${path}/disconnect`)
          : admin.delete<DisconnectionDto>(path));
        return { good: true, lines: aligned({ ...done }), json: { ...done } };
      }),
  );
}

function addAct(accounts: Command, runner: Runner, act: string, description: string): void {
  withCommonOptions(accounts.command(act).description(description).argument('<account_id>')).action(
    (account: string, options: CommonOptions) =>
      runner.service(options, async ({ admin }) => shown(await admin.post<AccountDto>(`${pathOf(account)}/${act}`))),
  );
}

function pathOf(account: string): string {
  return `/accounts/${encodeURIComponent(account)}`;
}

const accountColumns: Columns<AccountSummaryDto> = {
  ...fields('account_id', 'status', 'user_id', 'log_ref', 'created_at', 'linked_at'),
};

function shown(account: AccountDto): Result {
  const { account_id, status, user_id, log_ref, created_at, linked_at, relinked_at } = account;
  const { fallback_time_zone, ingestion_start, ingestion_end } = account;
  const times = { created_at, linked_at, relinked_at };
  const settings = { fallback_time_zone, ingestion_start, ingestion_end };
  return {
    good: true,
    lines: aligned({ account_id, status, user_id, log_ref, ...times, ...settings }),
    json: { ...account },
  };
}

function shownDetail(account: AccountDetailDto): Result {
  const sources = account.connections.map(({ provider, status, error_type, connected_at, last_data_at }) =>
    ['source', provider, status, error_type ?? '-', connected_at ?? '-', last_data_at ?? '-'].join('\t'),
  );
  const { lines, ...result } = shown(account);
  return { ...result, lines: [...lines, ...sources] };
}
