import { type FormEvent, type ReactNode, useState } from 'react';
import type { Operations, PushDto, SubscriptionWithSecretDto } from '../../lib/api.js';
import { everyOf } from '../../lib/every.js';
import { useAct } from '../../lib/queries.js';
import { plain } from '../../lib/words.js';
import { Empty, Failure } from '../../parts/conditions.js';
import { Dialog } from '../../parts/dialog.js';

type SubscriptionRequest = Operations['createSubscription']['body'];

type Payload = NonNullable<SubscriptionRequest['payload']>;
const payloads: Readonly<Record<Payload, string>> = {
  thin: 'what changed, without health values',
  whole: 'with the current state and its values',
  fhir: 'results and orders as Bundles of FHIR R4',
  text: 'alarms as messages to Slack, Mattermost or Google Chat',
  teams: 'alarms as cards to Microsoft Teams',
  pagerduty: 'alarms as incidents of PagerDuty',
};
const payloadNames = Object.keys(payloads) as Payload[];
/** The others get all changes; these get messages about alarms. */
const forAlarms: readonly Payload[] = ['text', 'teams', 'pagerduty'];

type Kind = PushDto['kind'];
const kindsOfChanges = everyOf<Kind>()([
  'account',
  'source',
  'history.complete',
  'samples',
  'sample_hours',
  'summary',
  'order',
  'order_transaction',
  'redraw',
  'appointment',
  'result',
  'critical_result',
  'erasure',
  'alarm',
  'answers',
]);

/** A list as typed: names separated by commas or spaces; undefined if there are none. */
function namesIn(typed: string): string[] | undefined {
  const names = typed.split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 0 ? undefined : names;
}

/** The form of a new subscription. */
export function AddSubscription({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (made: SubscriptionWithSecretDto) => void;
}): ReactNode {
  const add = useAct('createSubscription');
  const [payload, setPayload] = useState<Payload>('thin');
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [kinds, setKinds] = useState<readonly Kind[]>([]);
  const [resources, setResources] = useState('');
  const [account, setAccount] = useState('');
  const isForAlarms = forAlarms.includes(payload);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const chosen = isForAlarms ? (['alarm'] as const) : kinds;
    const names = isForAlarms ? undefined : (namesIn(resources) as SubscriptionRequest['resources']);
    const body: SubscriptionRequest = {
      ...{ url: url.trim(), payload },
      ...(description.trim() !== '' && { description: description.trim() }),
      ...(chosen.length > 0 && { kinds: [...chosen] }),
      ...(names && { resources: names }),
      ...(!isForAlarms && account.trim() !== '' && { account_id: account.trim() }),
    };
    add.mutate(
      { body },
      {
        onSuccess: (made) => {
          onMade(made);
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title="Add a subscription" isBusy={add.isPending} onClose={onClose}>
      <form onSubmit={submit}>
        <label className="field">
          <span>endpoint that receives each push as a POST</span>
          <input
            type="url"
            required
            placeholder={payload === 'pagerduty' ? 'https://events.pagerduty.com/v2/enqueue' : undefined}
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        </label>
        <label className="field">
          <span>name</span>
          <input value={description} maxLength={200} onChange={(event) => setDescription(event.target.value)} />
        </label>
        <label className="field">
          <span>payload</span>
          <select
            value={payload}
            onChange={(event) => setPayload(payloadNames.find((one) => one === event.target.value) ?? 'thin')}
          >
            {payloadNames.map((name) => (
              <option key={name} value={name}>
                {name}: {payloads[name]}
              </option>
            ))}
          </select>
        </label>
        {!isForAlarms && (
          <>
            <fieldset className="field some-kinds">
              <legend>Kinds of changes; none chosen: all</legend>
              <div>
                {kindsOfChanges.map((kind) => (
                  <label key={kind}>
                    <input
                      type="checkbox"
                      checked={kinds.includes(kind)}
                      onChange={({ target }) =>
                        setKinds(target.checked ? [...kinds, kind] : kinds.filter((one) => one !== kind))
                      }
                    />{' '}
                    {plain(kind)}
                  </label>
                ))}
              </div>
            </fieldset>
            <label className="field">
              <span>resources, such as sleep, steps; empty: all</span>
              <input value={resources} spellCheck={false} onChange={(event) => setResources(event.target.value)} />
            </label>
            <label className="field">
              <span>account id; empty: all accounts</span>
              <input value={account} spellCheck={false} onChange={(event) => setAccount(event.target.value)} />
            </label>
          </>
        )}
        {payload === 'pagerduty' && (
          <Empty>
            The service sends the key of PAGERDUTY_ROUTING_KEY. In the EU the endpoint is
            https://events.eu.pagerduty.com/v2/enqueue.
          </Empty>
        )}
        {(payload === 'whole' || payload === 'fhir') && (
          <Empty>Pushes contain health data. Only use an endpoint you control.</Empty>
        )}
        {add.isError && <Failure error={add.error} refused="Nothing was added." />}
        <div className="line end">
          <button type="button" disabled={add.isPending} onClick={onClose}>
            Back
          </button>
          <button type="submit" className="main" disabled={add.isPending}>
            Add the subscription
          </button>
        </div>
      </form>
    </Dialog>
  );
}
