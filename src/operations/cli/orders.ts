import { type Command, Option } from 'commander';
import type { OrderDto, TransactionDto } from '../../labs/order-api/orders.dto.js';
import type { RecordedToldDto } from '../../labs/order-api/patient-notifications.dto.js';
import { notificationWays } from '../../labs/orders/patient-notification.js';
import { resultTroubles } from '../../labs/orders/result-subject.js';
import { type CommonOptions, instant, type Result, type Runner, withCommonOptions } from './command.js';
import { type Columns, fields, type ListOptions, listCommand, listed, lists } from './lists.js';

interface TellOptions extends CommonOptions {
  readonly order?: string;
  readonly transaction?: string;
  readonly how: string;
  readonly at?: string;
}

export function addOrders(cli: Command, runner: Runner): void {
  const orders = cli.command('orders').description('lab orders, redraws, and records that the patient was informed');
  listCommand(orders.command('list', { isDefault: true }).description('lab orders, newest first'))
    .option('--account <id>', 'of this account')
    .option('--transaction <id>', 'of this order transaction')
    .option('--origin <origin>', 'initial, redraw or recreation')
    .option('--status <status>', 'full status or a part of it, e.g. redraw_available')
    .option('--critical', 'with a result that a lab reported as critical')
    .addOption(untold('with a critical result of which the patient was not informed'))
    .addOption(new Option('--result <state>', 'with a result in this state').choices(resultTroubles))
    .action(lists(runner, '/orders', orderColumns));
  listCommand(orders.command('redraws').description('order transactions whose patient needs a second draw'))
    .addOption(untold('only those whose patient was not informed'))
    .action((options: ListOptions) =>
      runner.service(options, (session) =>
        listed(session, '/order-transactions', options, redrawColumns, { needs: 'redraw' }),
      ),
    );
  const tell = orders
    .command('tell')
    .description('record that the patient was informed: of a redraw (--transaction) or of critical results (--order)')
    .option('--transaction <id>', 'order transaction that needs a redraw')
    .option('--order <id>', 'order with critical results')
    .addOption(
      new Option('--how <way>', 'how the patient was informed').choices(notificationWays).makeOptionMandatory(),
    )
    .option('--at <time>', 'when the patient was informed (default: now)', instant);
  withCommonOptions(tell).action((options: TellOptions) => {
    const { order, transaction, how, at } = options;
    if ((order === undefined) === (transaction === undefined)) {
      tell.error('error: exactly one of --transaction and --order is required');
    }
    const path =
      order === undefined
        ? `/order-transactions/${encodeURIComponent(transaction ?? '')}/told`
        : `/orders/${encodeURIComponent(order)}/told`;
    const body = { how, ...(at === undefined ? {} : { told_at: at }) };
    return runner.service(options, async ({ admin }) => recorded(await admin.post<RecordedToldDto>(path, body)));
  });
}

/** Option that sends the filter `told=false`. */
function untold(description: string): Option {
  return new Option('--untold', description).preset('false');
}

function recorded(told: RecordedToldDto): Result {
  const { at, by, how, replayed } = told;
  const record = `${by} informed the patient at ${at} (${how}).`;
  const said = replayed ? `Already recorded, do not inform the patient again: ${record}` : `Recorded: ${record}`;
  return { good: true, lines: [said], json: { ...told } };
}

const orderColumns: Columns<OrderDto> = {
  ...fields('created_at', 'order_id', 'account_id', 'order_transaction_id', 'origin', 'status'),
  ...fields('critical', 'critical_untold'),
};

const redrawColumns: Columns<TransactionDto> = {
  ...fields('created_at', 'order_transaction_id', 'account_id', 'act_on'),
  told_at: ({ redraw_told: told }) => told && told.at,
  told_by: ({ redraw_told: told }) => told && told.by,
  told_how: ({ redraw_told: told }) => told && told.how,
};
