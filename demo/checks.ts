import { compareRecords, type StoredRecord } from '../harness/compare.js';
import { allRows } from './pages.js';
import type { DemoAccount, Redraw } from './story.js';
import { resources, type World } from './world.js';

/** One line of the summary: upstream's count, the stored count, and whether the contents are equal. */
export interface Check {
  readonly what: string;
  readonly upstream: number | string;
  readonly stored: number | string;
  readonly differing: number;
}

/** Compares the stored data with the sandbox's truth. */
export async function checkAll(world: World, people: readonly DemoAccount[], pair: Redraw): Promise<Check[]> {
  const checks = [await checkAccounts(world, people)];
  for (const resource of resources) checks.push(await checkResource(world, people, resource));
  return [...checks, await checkMessages(world), await checkOrders(world), await checkChain(world, pair)];
}

async function checkAccounts(world: World, people: readonly DemoAccount[]): Promise<Check> {
  const { users } = await world.control.truthUsers();
  const mapped = new Map(people.map((person) => [person.account_id, person.user_id]));
  const differing = users.filter((user) => mapped.get(user.client_user_id) !== user.user_id).length;
  return { what: 'accounts mapped to users', upstream: users.length, stored: mapped.size, differing };
}

async function checkResource(world: World, people: readonly DemoAccount[], resource: string): Promise<Check> {
  const admin = world.admin();
  const sum = { upstream: 0, stored: 0, differing: 0 };
  for (const person of people) {
    const path = `/accounts/${person.account_id}/records/${resource}`;
    const records = await allRows<StoredRecord>(admin, path);
    const one = await compareRecords(world.control, person.user_id, resource, records);
    sum.upstream += one.upstream;
    sum.stored += one.stored;
    sum.differing += one.differing;
  }
  return { what: `${resource} records`, ...sum };
}

/** Checks that each message is stored once, however often it was delivered, and that all are done. */
async function checkMessages(world: World): Promise<Check> {
  const { messages } = await world.control.messages();
  const rows = await allRows<{ message_id: string; status: string }>(world.admin(), '/messages');
  const stored = new Map(rows.map((row) => [row.message_id, row.status]));
  const differing = messages.filter((message) => !['done', 'ignored'].includes(stored.get(message.id) ?? '')).length;
  return { what: 'webhook messages, each once', upstream: messages.length, stored: stored.size, differing };
}

async function checkOrders(world: World): Promise<Check> {
  const { orders } = await world.control.truthOrders();
  const rows = await allRows<{ order_id: string; order_transaction_id: string | null }>(world.admin(), '/orders');
  const stored = new Map(rows.map((row) => [row.order_id, row.order_transaction_id]));
  const differing = orders.filter((order) => stored.get(order.id) !== order.order_transaction_id).length;
  return { what: 'order and transaction pairs', upstream: orders.length, stored: stored.size, differing };
}

async function checkChain(world: World, pair: Redraw): Promise<Check> {
  const { data } = await world
    .admin()
    .get<{ status: string; orders: { order_id: string; origin: string }[] }>(
      `/admin/v1/order-transactions/${pair.order_transaction_id}`,
    );
  const stored = data.orders.map((order) => `${order.origin}:${order.order_id}`).join(' -> ');
  const expected = `initial:${pair.initial} -> redraw:${pair.redraw}`;
  const short = (text: string): string => text.replace(/:[0-9a-f-]+/g, '');
  const differing = stored === expected && data.status === 'completed' ? 0 : 1;
  return { what: 'redraw chain, completed', upstream: short(expected), stored: short(stored), differing };
}

export function table(checks: readonly Check[]): string {
  const rows = [
    ['', 'upstream', 'stored', 'differing'],
    ...checks.map((check) => [check.what, String(check.upstream), String(check.stored), String(check.differing)]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`).join('\n');
}
