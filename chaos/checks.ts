import { compareRecords, type StoredRecord } from '../harness/compare.js';
import type { MessageSummary } from '../sandbox/control-client.js';
import type { Driver } from './driver.js';
import { FollowedFeed } from './followed-feed.js';
import { ownerOf, type Person, resources } from './people.js';
import type { World } from './world.js';

/** One broken invariant and what was found: names and counts, no values. */
export interface Violation {
  readonly invariant: string;
  readonly found: string;
}

/** Codes of source polls with endless pages. They are repeated only at the next regular time, hours later. */
const endless: readonly string[] = ['cursor_repeated', 'pages_repeated', 'too_many_pages'];

/** Result of a full check; `waiting` lists work that may still finish without action. */
export interface Findings {
  readonly violations: Violation[];
  readonly waiting: string[];
  readonly figures: Figures;
}

export interface Figures {
  /** Attempts that got a response. */
  deliveries: number;
  messages: number;
  acknowledged: number;
  lost: number;
  dead: number;
  ignored: number;
  records: number;
  orders: number;
  accounts: number;
}

interface StoredMessage {
  readonly message_id: string;
  readonly status: string;
  readonly reason: string | null;
}

const PAGE = 20_000;

/** Checks every invariant against the sandbox's truth. Changes nothing; a later check may find less. */
export class Checks {
  private violations: Violation[] = [];
  private waiting: string[] = [];
  private figures: Figures = none();

  constructor(
    private readonly world: World,
    private readonly driver: Driver,
  ) {}

  /** Checks everything, which takes minutes after a long run; so only if nothing is waiting, or with `inAnyCase`. */
  async look(inAnyCase: boolean): Promise<Findings> {
    this.violations = [];
    this.waiting = [];
    this.figures = none();
    await this.rest();
    if (this.waiting.length === 0 || inAnyCase) await this.everything();
    return { violations: this.violations, waiting: this.waiting, figures: this.figures };
  }

  private async everything(): Promise<void> {
    const feed = await FollowedFeed.read(this.world);
    if (feed === null) this.waiting.push('the change feed could not be read');
    else this.numbers(feed);
    await this.messages();
    await this.accounts();
    for (const person of this.driver.linked) await this.records(person, feed);
    await this.orders();
    await this.erasures();
    this.duringTheRun();
  }

  private broken(invariant: string, found: string): void {
    this.violations.push({ invariant, found });
  }

  /** h: nothing is waiting. Waiting work may still finish soon, so the caller decides when to give up. */
  private async rest(): Promise<void> {
    const { messages, pulls } = await this.world.control.settle({ timeout_seconds: 1 });
    if (messages.pending + messages.held > 0) this.waiting.push(`${messages.pending + messages.held} at upstream`);
    if (pulls.open > 0) this.waiting.push(`${pulls.open} pulls of upstream`);
    const { status, body } = await this.world.admin<{
      inbox: { depth: number };
      waiting: { kind: string; last_error: string; count: number }[];
    }>('GET', '/overview');
    if (status !== 200) {
      this.waiting.push(`overview answers ${status}`);
      return;
    }
    if (body.inbox.depth > 0) this.waiting.push(`${body.inbox.depth} in the inbox`);
    for (const { kind, last_error, count } of body.waiting) {
      const isAtItsRegularTime = kind === 'source_poll' && endless.includes(last_error);
      if (!isAtItsRegularTime) this.waiting.push(`${count} ${kind} after ${last_error}`);
    }
  }

  /** a and b: every message accepted with 204 is stored once, in a state that shows its outcome. */
  private async messages(): Promise<void> {
    const rows = await this.world.rows<StoredMessage>('/messages');
    if (rows === null) {
      this.waiting.push('messages could not be read');
      return;
    }
    const stored = new Map(rows.map((row) => [row.message_id, row]));
    if (stored.size !== rows.length) this.broken('b', `${rows.length - stored.size} messages are stored twice`);
    const erased = new Set(this.driver.people.filter(({ isErased }) => isErased).map(({ userId }) => userId));
    for (let from = 0; ; ) {
      const { messages } = await this.world.control.messages({ from, limit: PAGE });
      for (const message of messages) this.message(message, stored.get(message.id), erased);
      const last = messages.at(-1);
      if (!last || messages.length < PAGE) break;
      from = last.number + 1;
    }
    if (this.figures.lost > 0) this.broken('a', `${this.figures.lost} acknowledged messages are not in the store`);
  }

  private message(message: MessageSummary, row: StoredMessage | undefined, erased: ReadonlySet<string>): void {
    const { figures } = this;
    figures.messages += 1;
    figures.deliveries += message.attempts.filter(({ status }) => status !== null).length;
    if (!message.attempts.some(({ status }) => status === 204)) return;
    figures.acknowledged += 1;
    // Messages about an erased person are deleted with the person.
    if (message.user_id !== null && erased.has(message.user_id)) return;
    if (row === undefined) figures.lost += 1;
    else if (row.status === 'dead') figures.dead += 1;
    else if (row.status === 'ignored') figures.ignored += 1;
    const isMeant = !message.event_type.startsWith('fault.');
    if (row?.status === 'dead' && isMeant) this.broken('b', `a good ${message.event_type} is dead: ${row.reason}`);
  }

  /** k: changes are numbered from 1 without gaps, except for those of erased people. */
  private numbers({ misplaced, missing }: FollowedFeed): void {
    if (misplaced > 0) this.broken('k', `${misplaced} changes have a number that was given before`);
    if (missing > 0 && !this.driver.people.some(({ isErased }) => isErased))
      this.broken('k', `${missing} numbers of the change feed are missing`);
  }

  /** f: one account for each upstream user, and the right one. */
  private async accounts(): Promise<void> {
    const rows = await this.world.rows<{ account_id: string; user_id: string | null }>('/accounts');
    if (rows === null) {
      this.waiting.push('accounts could not be read');
      return;
    }
    this.figures.accounts = rows.length;
    const users = rows.flatMap(({ user_id }) => user_id ?? []);
    if (new Set(users).size !== users.length) this.broken('f', 'two accounts have one upstream user');
    const accountOf = new Map(rows.map(({ account_id, user_id }) => [account_id, user_id]));
    for (const { user_id, client_user_id } of (await this.world.control.truthUsers()).users) {
      const person = this.driver.people.find(({ account }) => account === client_user_id);
      if (person?.isErased) this.waiting.push(`the user of ${client_user_id}, who was erased, is still there`);
      else if (accountOf.get(client_user_id) !== user_id)
        this.broken('f', `${client_user_id} is mapped to another user`);
    }
  }

  /**
   * c, e, i and k: stored data equals upstream's, and nothing is outdated or another person's. The change feed names
   * all of it, and no summary that is not stored.
   */
  private async records(person: Person, feed: FollowedFeed | null): Promise<void> {
    if (person.fate === 'user_forgotten') return;
    for (const resource of resources) {
      const rows = await this.world.rows<StoredRecord>(`/accounts/${person.account}/records/${resource}`);
      if (rows === null) {
        this.waiting.push(`records of ${person.account} could not be read`);
        return;
      }
      this.figures.records += rows.length;
      const foreign = rows.filter((row) => numberOf(row) !== person.number).length;
      if (foreign > 0) this.broken('i', `${foreign} ${resource} records under ${person.account} are another's`);
      const { missing, surplus } = await compareRecords(this.world.control, person.userId, resource, rows);
      // Data that upstream lost without an event stays stored, because upstream never reported its deletion.
      const differing = person.fate === 'data_forgotten' ? missing : Math.max(missing, surplus);
      if (differing > 0)
        this.broken('c, e', `${differing} ${resource} records of ${person.account} are not upstream's`);
      if (feed === null) continue;
      const untold = rows.filter((row) => !feed.tells(person.account, resource, row)).length;
      if (untold > 0) this.broken('k', `no change tells of ${untold} ${resource} records of ${person.account}`);
      const left = feed.held(person.account, 'summary').size - rows.length;
      if (resource === 'sleep' && left > 0)
        this.broken('k', `no change tells that ${left} nights of ${person.account} are gone`);
    }
  }

  /** g: exactly one order for each wish. */
  private async orders(): Promise<void> {
    const { orders } = await this.world.control.truthOrders();
    this.figures.orders = orders.length;
    const wished = new Map(this.driver.wishes.map((wish) => [wish.orderId, wish]));
    const untold = orders.filter(({ id }) => !wished.has(id)).length;
    if (untold > 0) this.broken('g', `${untold} orders were told to nobody`);
    const open = this.driver.wishes.filter(({ orderId, refused }) => orderId === null && refused === null);
    if (open.length > 0) this.broken('h', `${open.length} orders have no outcome`);
    const refused = this.driver.wishes.flatMap((wish) => wish.refused ?? []);
    if (refused.length > 0) this.world.seen.add(`orders refused: ${[...new Set(refused)].join(' ')}`, 0);
    const placed = this.driver.wishes.filter(({ orderId }) => orderId !== null);
    if (new Set(placed.map(({ orderId }) => orderId)).size !== placed.length)
      this.broken('g', 'two keys share an order');
    const rows = await this.world.rows<{ order_id: string }>('/orders');
    if (rows === null) this.waiting.push('orders could not be read');
    const stored = new Set(rows?.map(({ order_id }) => order_id));
    const unknown = orders.filter(({ id }) => !stored.has(id)).length;
    if (rows !== null && unknown > 0) this.broken('c, e', `${unknown} orders of upstream are not stored`);
  }

  private async erasures(): Promise<void> {
    for (const person of this.driver.people.filter(({ isErased }) => isErased)) {
      const { status } = await this.world.admin('GET', `/accounts/${person.account}`);
      if (status !== 404) this.waiting.push(`${person.account}, who was erased, is answered ${status}`);
    }
  }

  /** Violations observed during the faults. */
  private duringTheRun(): void {
    const { seen } = this.world;
    const passed = seen.of('cursor passed records that are not stored');
    if (passed > 0) this.broken('d', `cursors had passed ${passed} records that were not stored`);
    if (seen.of('two orders for one key') > 0) this.broken('g', 'one key was told two orders');
    for (const code of [0, 1, 134, 139]) {
      const count = seen.of(`ended by itself with ${code}`);
      if (count > 0) this.broken('crash', `${count} processes ended by themselves with ${code}`);
    }
  }
}

function numberOf({ value, systolic, data }: StoredRecord): number {
  return ownerOf(Number(value ?? systolic ?? data?.['score']));
}

function none(): Figures {
  return {
    deliveries: 0,
    messages: 0,
    acknowledged: 0,
    lost: 0,
    dead: 0,
    ignored: 0,
    records: 0,
    orders: 0,
    accounts: 0,
  };
}
