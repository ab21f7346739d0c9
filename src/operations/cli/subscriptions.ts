import type { Command } from 'commander';
import type { PushTestDto, SubscriptionDto } from '../../changes/subscriptions/subscriptions.dto.js';
import { aligned, type Result, type Runner, type Session, withCommonOptions } from './command.js';
import { type Columns, type ListOptions, listCommand, listed } from './lists.js';

/** Endpoints that changes are pushed to. */
export function addSubscriptions(cli: Command, runner: Runner): void {
  listCommand(cli.command('list').description('endpoints that changes are pushed to, and how far each is')).action(
    (options: ListOptions) =>
      runner.service(options, (session) => listed(session, '/subscriptions', {}, options, columns)),
  );
  const test = cli.command('test').description('send a signed test event to an endpoint').argument('<id>');
  withCommonOptions(test).action((id: string, options: ListOptions) =>
    runner.service(options, (session) => sendTest(session, id)),
  );
}

async function sendTest({ admin }: Session, id: string): Promise<Result> {
  const sent = await admin.post<PushTestDto>(`/subscriptions/${encodeURIComponent(id)}/test`);
  const { delivered, status, error, duration_ms } = sent;
  return {
    good: delivered,
    lines: aligned({ delivered: delivered ? 'yes' : 'no', status, error, duration_ms }),
    json: { ...sent },
  };
}

const columns: Columns<SubscriptionDto> = {
  subscription_id: (row) => row.subscription_id,
  state: (row) => row.reason ?? row.state,
  url: (row) => row.url,
  kinds: (row) => row.kinds?.join(' ') ?? 'all',
  behind: (row) => row.behind,
  accounts_waiting: (row) => row.accounts_waiting,
  failing_since: (row) => row.failing_since,
  last_error: (row) => row.last_error,
};
