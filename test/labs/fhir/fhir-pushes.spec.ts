// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { AccountEntity } from '../../../src/accounts/accounts/account.entity.js';
import { PushWorker } from '../../../src/changes/subscriptions/push.worker.js';
import { PushLanesWorker } from '../../../src/changes/subscriptions/push-lanes.worker.js';
import type { PushDto, SubscriptionDto } from '../../../src/changes/subscriptions/subscriptions.dto.js';
import { AccessEntryEntity } from '../../../src/privacy/access-log/access-log.entity.js';
import { noteChanges } from '../../../src/storage/change-log/note-changes.js';
import { SequencerWorker } from '../../../src/storage/change-log/sequencer.worker.js';
import { Receiver } from '../../changes/subscriptions/support/receiver.js';
import { adminKeys } from '../../support/environment.js';
import { OrdersWorld, type Placed } from '../orders/support/orders-world.js';
import { r4Judge } from './support/r4-schema.js';

const faultsOf = r4Judge();
const env = { PUSH_SIGNING_KEYS: 'a-key-of-pushes-for-tests-only-0123456789', PUSH_ALLOWED_NETWORKS: '127.0.0.1' };

interface Bundle {
  readonly resourceType: string;
  readonly timestamp: string;
  readonly entry?: { readonly resource: { readonly resourceType: string; readonly status: string } }[];
}

describe('pushes of the payload fhir', () => {
  let world: OrdersWorld;
  let receiver: Receiver;
  let order: Placed;
  let subscription: SubscriptionDto;

  beforeEach(async () => {
    world = await OrdersWorld.open({ env });
    receiver = await Receiver.start();
    const kinds = ['result', 'order', 'order_transaction'];
    const asked = { url: receiver.url, payload: 'fhir', kinds };
    subscription = (await world.service.admin<SubscriptionDto>('POST', '/subscriptions', asked)).body;
    order = await world.place(await world.user());
  });

  afterEach(async () => {
    await receiver.close();
    await world.close();
  });

  async function pushed(): Promise<Bundle[]> {
    receiver.received.length = 0;
    for (const worker of [SequencerWorker, PushWorker, PushLanesWorker]) await world.service.run(worker);
    return receiver.received.map(({ text }) => JSON.parse(text) as Bundle);
  }
  const log = async (): Promise<PushDto[]> => {
    const path = `/subscriptions/${subscription.subscription_id}/pushes`;
    return (await world.service.admin<{ data: PushDto[] }>('GET', path)).body.data;
  };
  const got = async (path: string): Promise<Bundle> => {
    const headers = { authorization: `Bearer ${adminKeys.reader}`, accept: 'application/fhir+json' };
    return (await world.service.call<Bundle>('GET', `/admin/v1${path}`, headers)).body;
  };
  const statuses = (bundles: readonly Bundle[], type: string): string[] =>
    bundles
      .flatMap(({ entry = [] }) => entry)
      .flatMap(({ resource }) => (resource.resourceType === type ? resource.status : []));

  it('are the Bundles that GET gives, of the type of FHIR, signed, in order, and recorded', async () => {
    await world.result(order);
    const bundles = await pushed();
    expect(bundles.flatMap(faultsOf)).toEqual([]);
    const kinds = (await log()).map(({ kind, state }) => `${kind} ${state}`).toSorted();
    expect(kinds).toEqual(['order delivered', 'order_transaction delivered', 'result delivered']);
    const result = { ...(await got(`/orders/${order.id}/result`)), timestamp: expect.any(String) };
    const orders = { ...(await got(`/order-transactions/${order.transaction}`)), timestamp: expect.any(String) };
    expect(bundles).toEqual([orders, orders, result]);
    for (const { headers } of receiver.received) {
      expect(headers['content-type']).toBe('application/fhir+json');
      expect(headers['webhook-signature']).toMatch(/^v1,/);
    }
    await world.service.chainAccesses();
    const recorded = (await world.service.table(AccessEntryEntity, 'seq').all()).filter(
      ({ action }) => action === 'push values',
    );
    const { id } = await world.service.table(AccountEntity, 'account_id').byId('ann');
    const target = `subscription:${subscription.subscription_id}`;
    expect(recorded).toEqual([expect.objectContaining({ target, account_ref: id })]);
  });

  it('report a withdrawn result as entered in error, without its values', async () => {
    await world.result(order);
    await pushed();
    await world.control.setResult(order.id, { withdrawn: true });
    await world.result(order);
    const bundles = await pushed();
    expect(bundles.flatMap(faultsOf)).toEqual([]);
    expect(statuses(bundles, 'DiagnosticReport')).toEqual(['entered-in-error']);
    expect(statuses(bundles, 'Observation')).toEqual([]);
  });

  it('contain nothing of an account that is being erased or was, nor of what is no longer stored', async () => {
    await world.result(order);
    await world.service.run(SequencerWorker);
    const { id } = await world.service.table(AccountEntity, 'account_id').byId('ann');
    const note = (subject: string): Promise<void> =>
      world.service.store.lane.run((tx) =>
        noteChanges(tx, [{ kind: 'order', action: 'changed', account: id, subject }], world.service.clock.now()),
      );
    await pushed();
    await note('no-such-order');
    expect(await pushed()).toEqual([{ resourceType: 'Bundle', type: 'collection', timestamp: expect.any(String) }]);
    await note(order.id);
    await world.service.admin('DELETE', '/accounts/ann');
    expect(await pushed()).toEqual([]);
    await world.service.settle();
    expect(await pushed()).toEqual([]);
    expect(await log()).toEqual([]);
  });
});
