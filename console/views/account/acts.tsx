import { type ReactNode, useRef, useState } from 'react';
import { type AccountDetailDto, download, type ErasureDto } from '../../lib/api.js';
import { addressOf } from '../../lib/commands.js';
import { useAct, useAnswer } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { Age } from '../../parts/age.js';
import { Failure } from '../../parts/conditions.js';
import { Id } from '../../parts/copy.js';
import { Confirm } from '../../parts/dialog.js';
import { Facts } from '../../parts/page.js';

type Act = 'block' | 'unblock' | 'sync' | 'relink' | 'erase';

/** Actions on an account. */
export function Acts({
  account,
  onReceipt,
}: {
  readonly account: AccountDetailDto;
  readonly onReceipt: (receipt: ErasureDto) => void;
}): ReactNode {
  const { account_id } = account;
  const [asked, setAsked] = useState<Act | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const mayRead = useMay('reader');
  const close = (): void => setAsked(null);
  const menu = useRef<HTMLDetailsElement>(null);
  const ask = (act: Act): void => {
    menu.current?.querySelector('summary')?.focus();
    menu.current?.removeAttribute('open');
    setAsked(act);
  };
  return (
    <div className="account-acts">
      {mayRead && (
        <details className="menu-of-acts" ref={menu}>
          <summary className="button">Actions</summary>
          <div className="menu">
            <ActList account={account} onAsk={ask} />
            <Export accountId={account_id} />
          </div>
        </details>
      )}
      {said !== null && (
        <span role="status" className="note">
          {said}
        </span>
      )}
      {asked === 'sync' && <SyncAll accountId={account_id} onSaid={setSaid} onClose={close} />}
      {(asked === 'block' || asked === 'unblock') && (
        <Block accountId={account_id} isBlocked={asked === 'unblock'} onSaid={setSaid} onClose={close} />
      )}
      {asked === 'relink' && <Relink accountId={account_id} onSaid={setSaid} onClose={close} />}
      {asked === 'erase' && <Erase accountId={account_id} onReceipt={onReceipt} onClose={close} />}
    </div>
  );
}

function ActList({
  account: { status },
  onAsk,
}: {
  readonly account: AccountDetailDto;
  readonly onAsk: (act: Act) => void;
}): ReactNode {
  if (!useMay('operator')) return null;
  return (
    <>
      <button type="button" onClick={() => onAsk('sync')}>
        Re-sync all sources
      </button>
      <button type="button" onClick={() => onAsk(status === 'blocked' ? 'unblock' : 'block')}>
        {status === 'blocked' ? 'Resume issuing tokens' : 'Stop issuing tokens'}
      </button>
      {status === 'user_gone' && (
        <button type="button" onClick={() => onAsk('relink')}>
          Relink the account
        </button>
      )}
      <button type="button" onClick={() => onAsk('erase')}>
        Erase the account
      </button>
    </>
  );
}

interface AskProps {
  readonly accountId: string;
  readonly onSaid: (text: string) => void;
  readonly onClose: () => void;
}

function SyncAll({ accountId, onSaid, onClose }: AskProps): ReactNode {
  const sync = useAct('requestSync');
  return (
    <Confirm
      title={`Pull everything of ${accountId} again`}
      act="Pull again"
      onClose={onClose}
      run={async () => {
        const { task_ids } = await sync.mutateAsync({ path: { account_id: accountId }, body: {} });
        onSaid(`${task_ids.length} ${task_ids.length === 1 ? 'pull' : 'pulls'} requested.`);
      }}
    >
      <p>Pulls every resource from upstream, as far back as for a new connection.</p>
    </Confirm>
  );
}

function Block({ accountId, isBlocked, onSaid, onClose }: AskProps & { readonly isBlocked: boolean }): ReactNode {
  const block = useAct('blockAccount');
  const unblock = useAct('unblockAccount');
  const path = { account_id: accountId };
  return (
    <Confirm
      title={isBlocked ? `Resume issuing tokens to ${accountId}` : `Stop issuing tokens to ${accountId}`}
      act={isBlocked ? 'Resume issuing tokens' : 'Stop issuing tokens'}
      destructive={!isBlocked}
      onClose={onClose}
      run={async () => {
        await (isBlocked ? unblock : block).mutateAsync({ path });
        onSaid(isBlocked ? 'Tokens are issued again.' : 'No tokens are issued.');
      }}
    >
      <p>
        {isBlocked
          ? 'The app can get tokens for this person again.'
          : 'The app gets no tokens for this person until the account is unblocked. Stored data stays readable.'}
      </p>
    </Confirm>
  );
}

function Relink({ accountId, onSaid, onClose }: AskProps): ReactNode {
  const relink = useAct('relinkAccount');
  return (
    <Confirm
      title={`Relink ${accountId}`}
      act="Create a new upstream user"
      typed={accountId}
      onClose={onClose}
      run={async () => {
        await relink.mutateAsync({ path: { account_id: accountId } });
        onSaid('A new upstream user was created. The person must link the sources again.');
      }}
    >
      <p>Upstream no longer has the user of this account. A new one is created; stored records stay.</p>
    </Confirm>
  );
}

function Erase({
  accountId,
  onReceipt,
  onClose,
}: Omit<AskProps, 'onSaid'> & { readonly onReceipt: (receipt: ErasureDto) => void }): ReactNode {
  const erase = useAct('eraseAccount');
  return (
    <Confirm
      title={`Erase ${accountId}`}
      act={`Erase ${accountId}`}
      typed={accountId}
      destructive
      onClose={onClose}
      run={async () => onReceipt(await erase.mutateAsync({ path: { account_id: accountId } }))}
    >
      <p>
        Every record, result, order and message of this person is deleted here and upstream, and late deliveries are
        refused. This cannot be undone. Export the account first if the person asked for a copy.
      </p>
    </Confirm>
  );
}

const erasureWords: Readonly<Record<ErasureDto['state'], string>> = {
  requested: 'The erasure is under way. Keep this receipt.',
  deleting: 'The erasure is under way. Keep this receipt.',
  upstream: 'Everything is deleted here; upstream has not deleted its user yet. Keep this receipt.',
  waiting: 'Everything is deleted. A last check follows after 8 days. Keep this receipt.',
  done: 'The erasure is done: a last check found no data.',
};

/** The receipt of an erasure, kept current. */
export function Receipt({ first }: { readonly first: ErasureDto }): ReactNode {
  const { erasure_id } = first;
  const { data: receipt = first } = useAnswer('getErasure', { path: { erasure_id } }, { every: 3_000 });
  const rows = Object.values(receipt.deleted).reduce((sum, count) => sum + count, 0);
  return (
    <div className="notice" role="status">
      <strong>{erasureWords[receipt.state]}</strong>
      <Facts
        facts={[
          ['Receipt', <Id key="id" id={erasure_id} whole />],
          ['State', receipt.state],
          ['Requested', <Age key="at" at={receipt.requested_at} />],
          ['Rows deleted', rows.toLocaleString('en')],
          ['Deleted here', <Age key="here" at={receipt.deleted_at} absent="not yet" />],
          ['Deleted upstream', <Age key="there" at={receipt.upstream_at} absent="not yet" />],
          ['Checked again', <Age key="checked" at={receipt.verified_at} absent="not yet" />],
        ]}
      />
    </div>
  );
}

/** Downloads all records of the person; the access log records it. */
function Export({ accountId }: { readonly accountId: string }): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  async function run(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await download(addressOf('exportAccount', { path: { account_id: accountId } }), `${accountId}.ndjson`);
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  }
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void run()}>
        {isBusy ? 'Exporting' : 'Export the account'}
      </button>
      {error !== null && <Failure error={error} retry={() => void run()} />}
    </>
  );
}
