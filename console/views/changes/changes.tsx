import './changes.css';
import { type ReactNode, useState } from 'react';
import type { PushDto, PushTestDto, SubscriptionDto, SubscriptionWithSecretDto } from '../../lib/api.js';
import { oneOf, text } from '../../lib/filters.js';
import { useAct, useAnswer, useRows } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { useFilters } from '../../lib/use-filters.js';
import { plain } from '../../lib/words.js';
import { Age, TimeOfDay } from '../../parts/age.js';
import { Failure, Forbidden } from '../../parts/conditions.js';
import { Commands, Copy, Id } from '../../parts/copy.js';
import { Confirm } from '../../parts/dialog.js';
import { Choice } from '../../parts/fields.js';
import { Page, Section } from '../../parts/page.js';
import { StateMark } from '../../parts/state.js';
import { type Column, ListTable } from '../../parts/table.js';
import { AddSubscription } from './add-subscription.js';
import { Consumers } from './consumers.js';
import { Feed } from './feed.js';
import { pushStates, standingOf, stateOfPush, stateOfSubscription } from './push-states.js';

const filters = { subscription: text, state: oneOf(pushStates) };

/** Subscriptions and consumers with their lag, and pushes to endpoints. */
export default function Changes(): ReactNode {
  const [{ subscription }, change] = useFilters(filters);
  const mayAct = useMay('operator');
  const list = useRows('listSubscriptions', {}, { enabled: mayAct });
  // What is below appears once everything above has its height, so that nothing moves.
  const isMoving = useAnswer('listConsumers', undefined, { enabled: mayAct }).isPending;
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<SubscriptionWithSecretDto | null>(null);
  const chosen = list.rows.find(({ subscription_id }) => subscription_id === subscription);
  if (!mayAct) return <Forbidden needed="operator" what="This view" />;
  return (
    <Page title="Changes" commands={<Commands call="listSubscriptions" />}>
      <Section title="Subscriptions" note="each change is pushed to the endpoint, in order per account">
        <ListTable
          label="Subscriptions"
          columns={columns}
          list={list}
          keyOf={({ subscription_id }) => subscription_id}
          selected={subscription}
          onOpen={({ subscription_id }) => change({ subscription: subscription_id, state: undefined })}
          empty="No subscriptions yet. Add the endpoint of a service that needs changes."
        />
        <div className="line">
          <button type="button" onClick={() => setAdding(true)}>
            Add a subscription
          </button>
        </div>
        {made && (
          <p className="notice" role="status">
            <strong>Added. The secret is shown only once:</strong>
            <span>
              <Copy text={made.secret} label="copy the secret" name="Copy the secret" />
            </span>
          </p>
        )}
      </Section>
      {chosen && <One key={chosen.subscription_id} subscription={chosen} />}
      <div hidden={list.query.isPending}>
        <Consumers />
        <div hidden={isMoving}>
          <Feed />
        </div>
      </div>
      {isAdding && <AddSubscription onClose={() => setAdding(false)} onMade={setMade} />}
    </Page>
  );
}

const columns: readonly Column<SubscriptionDto>[] = [
  { name: 'endpoint', wide: true, show: ({ url, description }) => description ?? url },
  {
    name: 'state',
    show: (subscription) => <StateMark state={stateOfSubscription(subscription)}>{standingOf(subscription)}</StateMark>,
  },
  { name: 'behind', number: true, show: ({ behind }) => behind },
  { name: 'accounts waiting', number: true, show: ({ accounts_waiting }) => accounts_waiting },
  { name: 'last delivered', show: ({ delivered_at }) => <Age at={delivered_at} absent="never" /> },
  { name: 'kinds', show: ({ kinds }) => listWords(kinds) },
  { name: 'resources', show: ({ resources }) => listWords(resources) },
  { name: 'account', show: ({ account_id }) => account_id ?? 'all' },
  { name: 'payload', show: ({ payload }) => payload },
];

/** Up to three names, then their number. */
function listWords(names: readonly string[] | null): string {
  if (names === null) return 'all';
  return names.length > 3 ? `${names.length} chosen` : names.map(plain).join(', ');
}

const pushColumns: readonly Column<PushDto>[] = [
  { name: 'change', show: ({ change_id }) => <Id id={change_id} /> },
  {
    name: 'state',
    show: ({ state }) => <StateMark state={stateOfPush(state)}>{state.replaceAll('_', ' ')}</StateMark>,
  },
  { name: 'kind', show: ({ kind }) => kind.replaceAll('_', ' ') },
  { name: 'account', show: ({ account_id }) => account_id ?? '–' },
  { name: 'attempts', number: true, show: ({ attempts }) => attempts },
  {
    name: 'response',
    show: ({ status, error }) => [status, error?.replaceAll('_', ' ')].filter(Boolean).join(' ') || '–',
  },
  { name: 'took', number: true, show: ({ duration_ms }) => (duration_ms === null ? '–' : `${duration_ms} ms`) },
  { name: 'last attempt', show: ({ attempted_at }) => <Age at={attempted_at} /> },
];

function One({ subscription }: { readonly subscription: SubscriptionDto }): ReactNode {
  const { subscription_id, url, last_error, last_status, failing_since } = subscription;
  const path = { subscription_id };
  const [{ state }, change] = useFilters(filters);
  const options = { path, query: state === undefined ? {} : { state } };
  const list = useRows('listPushes', options);
  const replay = useAct('replayPush');
  const withReplay: readonly Column<PushDto>[] = [
    ...pushColumns,
    {
      name: 'action',
      show: ({ change_id }) => (
        <button
          type="button"
          className="plain"
          disabled={replay.isPending}
          onClick={() => replay.mutate({ path: { subscription_id, change_id } })}
        >
          Resend
        </button>
      ),
    },
  ];
  return (
    <Section
      title="Push log"
      note={
        <>
          {url} <Commands call="listPushes" options={options} />
        </>
      }
    >
      {failing_since !== null && (
        <p className="notice failure">
          <strong>
            Every push has failed since <TimeOfDay at={Date.parse(failing_since)} />:{' '}
            {[last_status, last_error?.replaceAll('_', ' ')].filter(Boolean).join(' ')}.
          </strong>
          <span>Later changes of these accounts wait, so that they arrive in order. Check the endpoint.</span>
        </p>
      )}
      <Acts subscription={subscription} />
      <div className="line">
        <Choice label="state" value={state} values={pushStates} onChange={(chosen) => change({ state: chosen })} />
      </div>
      {replay.isError && <Failure error={replay.error} refused="Nothing was resent." />}
      <ListTable
        label="Pushes"
        columns={withReplay}
        list={list}
        keyOf={({ change_id }) => change_id}
        empty="Nothing was pushed to this endpoint yet. Send a test push to check that it responds."
      />
    </Section>
  );
}

type Asked = 'replay' | 'delete' | 'disable' | 'rotate';

function Acts({ subscription }: { readonly subscription: SubscriptionDto }): ReactNode {
  const { subscription_id, state, url } = subscription;
  const path = { subscription_id };
  const [asked, setAsked] = useState<Asked | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const test = useAct('testSubscription');
  const enable = useAct('enableSubscription');
  return (
    <>
      <div className="line">
        <button
          type="button"
          disabled={test.isPending}
          onClick={() => test.mutate({ path }, { onSuccess: (answer) => setSaid(testWords(answer)) })}
        >
          {test.isPending ? 'Sending a test' : 'Send a test push'}
        </button>
        <button type="button" onClick={() => setAsked('replay')}>
          Resend failed pushes
        </button>
        {state === 'active' ? (
          <button type="button" onClick={() => setAsked('disable')}>
            Disable the subscription
          </button>
        ) : (
          <button type="button" disabled={enable.isPending} onClick={() => enable.mutate({ path })}>
            Enable the subscription
          </button>
        )}
        <button type="button" onClick={() => setAsked('rotate')}>
          Rotate the secret
        </button>
        <button type="button" onClick={() => setAsked('delete')}>
          Delete the subscription
        </button>
        {said !== null && <span role="status">{said}</span>}
        {secret !== null && (
          <span role="status">
            <Copy text={secret} label="copy the new secret, shown once" name="Copy the new secret, shown once" />
          </span>
        )}
      </div>
      {test.isError && <Failure error={test.error} refused="No test was sent." />}
      {enable.isError && <Failure error={enable.error} refused="It is still disabled." />}
      {asked !== null && (
        <Ask
          asked={asked}
          id={subscription_id}
          url={url}
          onSaid={setSaid}
          onSecret={setSecret}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

function testWords({ delivered, status, error, duration_ms }: PushTestDto): string {
  const answer = [status, error?.replaceAll('_', ' ')].filter(Boolean).join(' ');
  return `${delivered ? 'The test was delivered' : 'The test was not delivered'}: ${answer || 'no response'}, ${duration_ms} ms.`;
}

function Ask({
  asked,
  id,
  url,
  onSaid,
  onSecret,
  onClose,
}: {
  readonly asked: Asked;
  readonly id: string;
  readonly url: string;
  readonly onSaid: (said: string) => void;
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const path = { subscription_id: id };
  const replay = useAct('replayPushes');
  const disable = useAct('disableSubscription');
  const remove = useAct('deleteSubscription');
  const rotate = useAct('rotateSubscriptionSecret');
  const acts: Readonly<Record<Asked, { title: string; act: string; text: string; run: () => Promise<unknown> }>> = {
    replay: {
      title: 'Resend failed pushes',
      act: 'Resend them',
      text: 'Every push that failed permanently is resent, in order per account.',
      run: async () => {
        const { count } = await replay.mutateAsync({ path, body: { state: 'given_up' } });
        onSaid(`${count ?? 0} ${count === 1 ? 'push is' : 'pushes are'} being resent.`);
      },
    },
    disable: {
      title: 'Disable the subscription',
      act: 'Disable it',
      text: 'Nothing is pushed until it is enabled. It then continues from its position, as long as the changes are kept.',
      run: () => disable.mutateAsync({ path }),
    },
    rotate: {
      title: 'Rotate the secret',
      act: 'Create a new secret',
      text: 'The previous secret also signs for a while, so that the endpoint can switch.',
      run: async () => onSecret((await rotate.mutateAsync({ path })).secret),
    },
    delete: {
      title: 'Delete the subscription',
      act: 'Delete it',
      text: `${url} gets no more changes, and its delivery log is deleted.`,
      run: () => remove.mutateAsync({ path }),
    },
  };
  const { title, act, text: sentence, run } = acts[asked];
  const isDelete = asked === 'delete';
  return (
    <Confirm
      title={title}
      act={act}
      destructive={isDelete}
      onClose={onClose}
      run={run}
      {...(isDelete ? { typed: id } : {})}
    >
      <p>{sentence}</p>
    </Confirm>
  );
}
