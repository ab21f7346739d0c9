import type { Command } from 'commander';
import type { PushTestDto, SubscriptionDto } from '../../changes/subscriptions/subscriptions.dto.js';
import { aligned, type CommonOptions, type Result, type Runner, type Session, withCommonOptions } from './command.js';
import { type Columns, fields, listCommand, lists } from './lists.js';

/** Endpoints that changes are pushed to. */
export function addSubscriptions(cli: Command, runner: Runner): void {
  listCommand(cli.command('list').description('subscriptions and their progress')).action(
    lists(runner, '/subscriptions', columns),
  );
  const test = cli.command('test').description('send a signed test event to an endpoint').argument('<id>');
  withCommonOptions(test).action((id: string, options: CommonOptions) =>
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
  ...fields('behind', 'accounts_waiting', 'failing_since', 'last_error'),
};
