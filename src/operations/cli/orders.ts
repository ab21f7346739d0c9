import { type Command, Option } from 'commander';
import type { OrderDto, TransactionDto } from '../../labs/order-routes/orders.dto.js';
import type { RecordedToldDto } from '../../labs/order-routes/told.dto.js';
import { type ResultTrouble, resultTroubles } from '../../labs/orders/result-subject.js';
import { waysToTell } from '../../labs/orders/told.js';
import { type CommonOptions, instant, type Result, type Runner, withCommonOptions } from './command.js';
import { type Columns, type ListOptions, listCommand, listed } from './lists.js';

interface OrderOptions extends ListOptions {
  readonly account?: string;
  readonly transaction?: string;
  readonly origin?: string;
  readonly status?: string;
  readonly critical?: true;
  readonly untold?: true;
  readonly result?: ResultTrouble;
}

interface TellOptions extends CommonOptions {
  readonly order?: string;
  readonly transaction?: string;
  readonly how: string;
  readonly at?: string;
}

export function addOrders(cli: Command, runner: Runner): void {
  const orders = cli.command('orders').description('lab orders, redraws, and who told the patient');
  listCommand(orders.command('list', { isDefault: true }).description('lab orders, newest first'))
    .option('--account <id>', 'of this account')
    .option('--transaction <id>', 'of this order transaction')
    .option('--origin <origin>', 'initial, redraw or recreation')
    .option('--status <status>', 'a complete status or a part of it, e.g. redraw_available')
    .option('--critical', 'with a result that a lab reported as critical')
    .option('--untold', 'with a critical result of which the patient was not told')
    .addOption(new Option('--result <state>', 'with a result in this state').choices(resultTroubles))
    .action((options: OrderOptions) => {
      const { account: account_id, transaction: order_transaction_id, origin, status, result } = options;
      const flags = { critical: options.critical && 'true', told: options.untold && 'false' };
      const query = { account_id, order_transaction_id, origin, status, result, ...flags };
      return runner.service(options, (session) => listed(session, '/orders', query, options, orderColumns));
    });
  listCommand(orders.command('redraws').description('order transactions whose patient needs a second draw'))
    .option('--untold', 'only those whose patient was not told')
    .action((options: OrderOptions) => {
      const query = { needs: 'redraw', told: options.untold && 'false' };
      return runner.service(options, (session) =>
        listed(session, '/order-transactions', query, options, redrawColumns),
      );
    });
  const tell = orders
    .command('tell')
    .description('record that the patient was informed: of a redraw (--transaction) or of critical results (--order)')
    .option('--transaction <id>', 'order transaction that needs a redraw')
    .option('--order <id>', 'order with critical results')
    .addOption(new Option('--how <way>', 'how the patient was informed').choices(waysToTell).makeOptionMandatory())
    .option('--at <time>', 'when the patient was informed (default: now)', instant);
  withCommonOptions(tell).action((options: TellOptions) => {
    const { order, transaction, how, at } = options;
    if ((order === undefined) === (transaction === undefined)) {
      tell.error('error: exactly one of --transaction and --order is needed');
    }
    const path =
      order === undefined
        ? `/order-transactions/${encodeURIComponent(transaction ?? '')}/told`
        : `/orders/${encodeURIComponent(order)}/told`;
    const body = { how, ...(at === undefined ? {} : { told_at: at }) };
    return runner.service(options, async ({ admin }) => recorded(await admin.post<RecordedToldDto>(path, body)));
  });
}

function recorded(told: RecordedToldDto): Result {
  const { at, by, how, replayed } = told;
  const record = `${by} told the patient at ${at} (${how}).`;
  const said = replayed ? `Already recorded, do not tell again: ${record}` : `Recorded: ${record}`;
  return { good: true, lines: [said], json: { ...told } };
}

const orderColumns: Columns<OrderDto> = {
  created_at: (order) => order.created_at,
  order_id: (order) => order.order_id,
  account_id: (order) => order.account_id,
  order_transaction_id: (order) => order.order_transaction_id,
  origin: (order) => order.origin,
  status: (order) => order.status,
  critical: (order) => order.critical,
  critical_untold: (order) => order.critical_untold,
};

const redrawColumns: Columns<TransactionDto> = {
  created_at: (transaction) => transaction.created_at,
  order_transaction_id: (transaction) => transaction.order_transaction_id,
  account_id: (transaction) => transaction.account_id,
  act_on: (transaction) => transaction.act_on,
  told_at: ({ redraw_told: told }) => told && told.at,
  told_by: ({ redraw_told: told }) => told && told.by,
  told_how: ({ redraw_told: told }) => told && told.how,
};
