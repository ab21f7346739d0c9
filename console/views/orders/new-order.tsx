import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { type PlaceOrderBody, PulsekeepError } from '../../lib/api.js';
import { useAct, useRows } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { Failure, Forbidden } from '../../parts/conditions.js';
import { Id } from '../../parts/copy.js';
import { Section } from '../../parts/page.js';
import { dropKey, keptKey } from './kept-key.js';

const methods = ['walk_in_test', 'testkit', 'at_home_phlebotomy', 'on_site_collection'] as const;

/** Fields of a person and an address, all required by the lab. */
const person: readonly (readonly [name: keyof PlaceOrderBody['patient_details'], label: string, type: string])[] = [
  ['first_name', 'first name', 'text'],
  ['last_name', 'last name', 'text'],
  ['dob', 'date of birth', 'date'],
  ['gender', 'gender', 'text'],
  ['phone_number', 'phone', 'tel'],
  ['email', 'e-mail', 'email'],
];
const address: readonly (readonly [name: keyof PlaceOrderBody['patient_address'], label: string])[] = [
  ['first_line', 'street'],
  ['city', 'city'],
  ['state', 'state'],
  ['zip', 'zip code'],
  ['country', 'country'],
];

const genders = ['female', 'male', 'other', 'unknown'];

const act = 'place order';
/** With these codes the service refuses the key for good. */
const spent = ['idempotency_key_reused', 'placement_unresolved'];
const mayBePlaced =
  'An order may have been placed with this key already: look for it among the orders of the account first. With a new ' +
  'key, your input is placed as another order.';

/** Places an order, or registers one that was placed elsewhere. */
export default function NewOrder(): ReactNode {
  if (!useMay('operator')) return <Forbidden needed="operator" what="The form for a new order" />;
  return (
    <>
      <Place />
      <Pair />
    </>
  );
}

function typed(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

function bodyOf(form: FormData): PlaceOrderBody {
  const value = (name: string): string => typed(form, name);
  const fields = <K extends string>(names: readonly (readonly [K, ...unknown[]])[]): Record<K, string> =>
    Object.fromEntries(names.map(([name]) => [name, value(name)])) as Record<K, string>;
  const passthrough = value('passthrough');
  return {
    account_id: value('account_id'),
    patient_details: fields(person),
    patient_address: fields(address),
    order_set: { lab_test_ids: [value('lab_test_id')] },
    collection_method: value('collection_method'),
    ...(passthrough === '' ? {} : { passthrough }),
  };
}

function Place(): ReactNode {
  const [key, setKey] = useState(() => keptKey(sessionStorage, act, () => crypto.randomUUID()));
  const place = useAct('placeOrder');
  const tests = useRows('listLabTests', {}, { every: false, isFromUpstream: true });
  const isSpent = place.error instanceof PulsekeepError && spent.includes(place.error.code);
  const renew = (): void => {
    dropKey(sessionStorage, act);
    setKey(keptKey(sessionStorage, act, () => crypto.randomUUID()));
    place.reset();
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    place.mutate(
      { body: bodyOf(new FormData(form)), idempotencyKey: key },
      {
        onSuccess: () => {
          dropKey(sessionStorage, act);
          form.reset();
        },
      },
    );
  };
  return (
    <Section title="Place an order" note="sent to upstream; your input is not stored here">
      {place.data ? (
        <div className="notice" role="status">
          <strong>The order was placed{place.data.replayed ? ' earlier, with the same key' : ''}.</strong>
          <Link href={`/orders/${place.data.order_id}`}>Open order {place.data.order_id}</Link>
          <button type="button" onClick={renew}>
            Place another order
          </button>
        </div>
      ) : (
        <form className="order-form" onSubmit={submit}>
          <label className="field">
            <span>account</span>
            <input name="account_id" required autoComplete="off" />
          </label>
          <label className="field">
            <span>lab test</span>
            <select name="lab_test_id" required>
              <option value="">choose one</option>
              {tests.rows.map(({ id, name, method }) => (
                <option key={id} value={id}>
                  {[name, method?.replaceAll('_', ' ')].filter(Boolean).join(', ') || id}
                </option>
              ))}
            </select>
          </label>
          {tests.query.isError && (
            <div className="wide">
              <Failure
                error={tests.query.error}
                kept="The lab tests cannot be listed, so no order can be placed now."
                retry={() => void tests.query.refetch()}
              />
            </div>
          )}
          <label className="field">
            <span>collection</span>
            <select name="collection_method">
              {methods.map((method) => (
                <option key={method} value={method}>
                  {method.replaceAll('_', ' ')}
                </option>
              ))}
            </select>
          </label>
          {person.map(([name, label, type]) => (
            <label key={name} className="field">
              <span>{label}</span>
              {name === 'gender' ? (
                <select name={name} required>
                  <option value="">choose one</option>
                  {genders.map((gender) => (
                    <option key={gender}>{gender}</option>
                  ))}
                </select>
              ) : (
                <input name={name} type={type} required autoComplete="off" />
              )}
            </label>
          ))}
          {address.map(([name, label]) => (
            <label key={name} className="field">
              <span>{label}</span>
              <input name={name} required autoComplete="off" />
            </label>
          ))}
          <label className="field">
            <span>reference attached to the order</span>
            <input name="passthrough" autoComplete="off" />
          </label>
          <div className="line wide">
            <button type="submit" className="main" disabled={place.isPending}>
              {place.isPending ? 'Placing' : 'Place the order'}
            </button>
            <span className="note">
              Key <Id id={key} /> is kept until the order is placed, so that trying again never places two.
            </span>
          </div>
          {place.isError && (
            <Failure
              error={place.error}
              kept={isSpent ? mayBePlaced : 'Your input and the key are kept, so retrying is safe.'}
            />
          )}
          {isSpent && (
            <div className="line wide">
              <button type="button" onClick={renew}>
                Use a new key
              </button>
            </div>
          )}
        </form>
      )}
    </Section>
  );
}

function Pair(): ReactNode {
  const store = useAct('storeOrder');
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const value = (name: string): string => typed(form, name);
    const order_transaction_id = value('order_transaction_id');
    store.mutate({
      body: {
        account_id: value('account_id'),
        order_id: value('order_id'),
        ...(order_transaction_id === '' ? {} : { order_transaction_id }),
      },
    });
  };
  return (
    <Section title="Register an order that was placed elsewhere" note="so that its events are assigned to the person">
      <form className="order-form" onSubmit={submit}>
        <label className="field">
          <span>account</span>
          <input name="account_id" required autoComplete="off" />
        </label>
        <label className="field">
          <span>order id</span>
          <input name="order_id" required autoComplete="off" />
        </label>
        <label className="field">
          <span>transaction id, if known</span>
          <input name="order_transaction_id" autoComplete="off" />
        </label>
        <div className="line wide">
          <button type="submit" disabled={store.isPending}>
            Register the order
          </button>
          {store.data && (
            <span role="status">
              Stored. <Link href={`/orders/${store.data.order_id}`}>Open the order</Link>
            </span>
          )}
        </div>
        {store.isError && <Failure error={store.error} refused="Nothing was stored." />}
      </form>
    </Section>
  );
}
