import { setTimeout as pause } from 'node:timers/promises';
import type { PutData } from '../sandbox/control-client.js';
import { uuidFrom } from '../sandbox/engine/random.js';
import { type Fate, Person, type Resource, resources } from './people.js';
import type { World } from './world.js';

/** An order to place, with the same idempotency key until its outcome is known. */
export interface Wish {
  readonly person: Person;
  readonly key: string;
  orderId: string | null;
  /** Refused permanently, for example because the person was erased. */
  refused: string | null;
}

const fates: readonly Fate[] = [
  'data_forgotten',
  'erased',
  'plain',
  'connection_forgotten',
  'user_forgotten',
  'erased',
];
/** New data pauses while more messages are pending than upstream sends in this time, but at least 3,000. */
const MAX_PENDING_SECONDS = 20;

/** The continuous load: new data, sign-ups, orders, erasures. Every action is retried until its outcome is known. */
export class Driver {
  readonly people: Person[] = [];
  readonly wishes: Wish[] = [];
  private running = true;
  private loops: Promise<void>[] = [];

  constructor(private readonly world: World) {}

  /** Signs up and links the first people. */
  async prepare(): Promise<void> {
    const count = this.world.options.people;
    await Promise.all(Array.from({ length: count }, (_, index) => this.signUp(index < 1 ? 'data_forgotten' : 'plain')));
  }

  begin(): void {
    this.loops = [this.flood(), this.newcomers(), this.orders(), this.erasures(), this.look()];
  }

  /** Starts nothing new; finishes what was begun. */
  async end(): Promise<void> {
    this.running = false;
    await Promise.all(this.loops);
  }

  /** People whose data can be compared. */
  get linked(): Person[] {
    return this.people.filter(({ isLinked, isErased }) => isLinked && !isErased);
  }

  private async signUp(fate: Fate): Promise<void> {
    const { world } = this;
    const person = new Person(this.people.length + 1, fate, world.options.seed, Date.now());
    this.people.push(person);
    const signedIn = await this.persist(() =>
      world.app<{ user_id: string }>(person.account, 'POST', '/me/sign-in-token', { installation_id: 'phone' }),
    );
    if (signedIn === null) return;
    person.userId = signedIn.user_id;
    for (const resource of resources)
      await world.control.put({ ...(person.before(resource) as PutData), notify: false });
    const token = await this.persist(() =>
      world.app<{ link_token: string; link_attempt_id: string }>(person.account, 'POST', '/me/link-token', {
        provider: person.provider,
      }),
    );
    if (token === null) return;
    const { provider } = person;
    await world.control.link({ link_token: token.link_token, provider, resources: [...resources] });
    person.isLinked = true;
    const { link_attempt_id } = token;
    await this.persist(() =>
      world.app(person.account, 'POST', '/me/link-outcomes', { link_attempt_id, outcome: 'success' }),
    );
    world.seen.add('people');
  }

  /** Retries until a response shows the outcome; null once the run is over. */
  private async persist<T>(ask: () => Promise<{ status: number; body: T }>): Promise<T | null> {
    for (let tries = 0; this.running || tries < 200; tries += 1) {
      const { status, body } = await ask();
      if (status >= 200 && status < 300) return body;
      if (status >= 400 && status < 500 && status !== 429 && status !== 409) {
        this.world.seen.add(`refused ${status}`);
        return null;
      }
      await pause(200);
    }
    return null;
  }

  private async flood(): Promise<void> {
    const { control, options } = this.world;
    const rng = this.world.rng('flood');
    const begun = performance.now();
    let sent = 0;
    while (this.running) {
      const ahead = sent - ((performance.now() - begun) / 1000) * options.rate;
      if (ahead > 0) await pause(Math.min(1000, (ahead / options.rate) * 1000));
      const people = this.linked.filter(({ fate }) => fate !== 'user_forgotten' && fate !== 'connection_forgotten');
      if (people.length === 0) {
        await pause(100);
        continue;
      }
      const person = rng.pick(people);
      const resource: Resource = rng.pick(['heartrate', 'heartrate', 'blood_pressure', 'sleep', 'sleep', 'sleep']);
      const change = person.change(resource, rng, rng.int(1, 30), Date.now()) as PutData;
      const written = await control.put(change).catch(() => null);
      sent += written?.message_ids.length ?? 1;
      if (rng.chance(0.05)) await this.letUpstreamCatchUp();
    }
  }

  private async letUpstreamCatchUp(): Promise<void> {
    while (this.running) {
      const { messages } = await this.world.control.state();
      if (messages.pending < Math.max(3000, this.world.options.rate * MAX_PENDING_SECONDS)) return;
      await pause(200);
    }
  }

  private async newcomers(): Promise<void> {
    for (let index = 0; this.running; index += 1) {
      await pause(4000);
      if (this.running && this.people.length < 60) await this.signUp(fates[index % fates.length] ?? 'plain');
    }
  }

  private async orders(): Promise<void> {
    const rng = this.world.rng('orders');
    const { lab_tests } = await this.world.control.labTests();
    const lab_test_ids = [lab_tests.find(({ method }) => method === 'walk_in_test')?.id];
    while (this.running) {
      await pause(rng.int(200, 1200));
      const people = this.linked.filter(({ fate }) => fate === 'plain' || fate === 'data_forgotten');
      if (people.length === 0) continue;
      const key = uuidFrom(this.world.options.seed, 'order', this.wishes.length);
      const wish: Wish = { person: rng.pick(people), key, orderId: null, refused: null };
      this.wishes.push(wish);
      await this.place(wish, lab_test_ids);
    }
    // Places orders with an unknown outcome again, as any client without a response would.
    for (const wish of this.wishes.filter(({ orderId, refused }) => orderId === null && refused === null)) {
      for (let tries = 0; tries < 100 && wish.orderId === null && wish.refused === null; tries += 1) {
        if (tries > 0) await pause(500);
        await this.place(wish, lab_test_ids);
      }
    }
  }

  /** Sends the request once or twice in parallel, like a client that times out and retries. */
  private async place(wish: Wish, lab_test_ids: unknown[]): Promise<void> {
    const body = {
      account_id: wish.person.account,
      patient_details: {
        first_name: 'Sam',
        last_name: 'Sample',
        dob: '1980-02-03',
        gender: 'female',
        phone_number: '+10000000000',
        email: 'sam@sandbox.example',
      },
      patient_address: { first_line: '1 Street', city: 'New York', state: 'NY', zip: '10001', country: 'US' },
      order_set: { lab_test_ids },
    };
    const ask = async (): Promise<void> => {
      const headers = { 'idempotency-key': wish.key };
      const path = '/orders/place';
      const { status, body: told } = await this.world.admin<{ order_id?: string; code?: string }>(
        'POST',
        path,
        body,
        headers,
      );
      if (status === 201 && told.order_id !== undefined) {
        if (wish.orderId !== null && wish.orderId !== told.order_id) this.world.seen.add('two orders for one key');
        wish.orderId = told.order_id;
      }
      const open = ['placement_in_progress', 'placement_unresolved', 'conflict'];
      if (status >= 400 && status < 500 && status !== 429 && !open.includes(told?.code ?? '')) {
        wish.refused = told?.code ?? String(status);
      }
    };
    await Promise.all([ask(), ask()]);
  }

  private async erasures(): Promise<void> {
    while (this.running) {
      await pause(6000);
      const person = this.linked.find(({ fate }) => fate === 'erased');
      if (!person || !this.running) continue;
      person.isErased = true;
      await pause(500);
      await this.persist(() => this.world.admin('DELETE', `/accounts/${person.account}`));
      this.world.seen.add('erasures');
    }
  }

  /** Reads continuously and checks that every read gets a response. */
  private async look(): Promise<void> {
    const rng = this.world.rng('look');
    while (this.running) {
      await pause(300);
      const person = this.linked[0]?.account ?? 'nobody';
      const paths = ['/overview', '/alarms', '/sync/progress', `/accounts/${person}/timeline`, '/orders', '/messages'];
      const { status } = await this.world.admin('GET', rng.pick(paths));
      this.world.seen.add(status === 0 ? 'looks unanswered' : 'looks answered');
    }
  }
}
