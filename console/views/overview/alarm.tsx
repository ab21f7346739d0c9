import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import runbook from '../../../docs/runbook.md?raw';
import type { AlarmDto } from '../../lib/api.js';
import { useAct } from '../../lib/queries.js';
import { pieces, remediesOf } from '../../lib/runbook.js';
import { useMay } from '../../lib/session.js';
import { Age, TimeOfDay } from '../../parts/age.js';
import { Failure } from '../../parts/conditions.js';
import { Copy } from '../../parts/copy.js';
import { Confirm } from '../../parts/dialog.js';
import { StateShape } from '../../parts/state.js';
import { hrefOf, listOf, listWords } from './lists.js';

const remedies = remediesOf(runbook);

/** Every alarm is a section of the runbook. */
export const checks = remedies.size;

/** One alarm: its meaning, start and list, and what to do as stated in the runbook. */
export function Alarm({ alarm }: { readonly alarm: AlarmDto }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const list = listOf(alarm.code);
  const steps = remedies.get(alarm.code) ?? [];
  return (
    <li className="alarm">
      <StateShape state={alarm.severity === 'critical' ? 'failed' : 'waiting'} />
      <div>
        <p className="what">
          <strong>{alarm.message}</strong>
          <span className={alarm.severity}>{alarm.severity}</span>
          {alarm.providers.length > 0 && <span>{alarm.providers.join(', ')}</span>}
          {alarm.reasons.length > 0 && <span>reasons: {alarm.reasons.join(', ')}</span>}
          <span className="muted">
            since <TimeOfDay at={Date.parse(alarm.since)} /> (<Age at={alarm.since} />)
          </span>
        </p>
        {alarm.acknowledged && (
          <p className="muted">
            Acknowledged by {alarm.acknowledged.by}, <Age at={alarm.acknowledged.at} />: {alarm.acknowledged.reason}
          </p>
        )}
        <p className="line">
          <span>{alarm.action}</span>
          {alarm.command !== null && <Copy text={alarm.command} label="pulsekeep" name="Copy the pulsekeep command" />}
        </p>
        <p className="line">
          <button type="button" className="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Runbook
          </button>
          {list && <Link href={hrefOf(list, alarm.since, Date.now())}>{listWords(list, alarm.count)}</Link>}
          {alarm.code === 'tokens_closed' && <IssueTokens />}
          {alarm.acknowledged === null && <Acknowledge code={alarm.code} />}
          <code className="muted">{alarm.code}</code>
        </p>
        {isOpen && (
          <dl className="remedy">
            {steps.map(({ name, text }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  {pieces(text).map((piece, index) =>
                    piece.isCode ? <code key={index}>{piece.text}</code> : <span key={index}>{piece.text}</span>,
                  )}
                </dd>
              </div>
            ))}
          </dl>
        )}
      </div>
    </li>
  );
}

function IssueTokens(): ReactNode {
  const open = useAct('setTokenIssuance');
  if (!useMay('operator')) return null;
  return (
    <>
      <button type="button" disabled={open.isPending} onClick={() => open.mutate({ body: { open: true } })}>
        Enable token issuance
      </button>
      {open.isError && <Failure error={open.error} refused="Token issuance is still disabled." />}
    </>
  );
}

/** Not offered for critical results: only notifying the patient ends that alarm. */
function Acknowledge({ code }: Pick<AlarmDto, 'code'>): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const acknowledge = useAct('acknowledgeAlarm');
  if (!useMay('operator') || code === 'critical_results') return null;
  return (
    <>
      <button type="button" className="plain" onClick={() => setOpen(true)}>
        Acknowledge
      </button>
      {isOpen && (
        <Confirm
          title={`Acknowledge ${code}`}
          act="Acknowledge the alarm"
          isReady={reason.trim() !== ''}
          onClose={() => setOpen(false)}
          run={() => acknowledge.mutateAsync({ path: { code }, body: { reason: reason.trim() } })}
        >
          <p>The alarm stays listed and no longer calls for attention until it grows.</p>
          <label className="field">
            <span>Reason, without health data</span>
            <input value={reason} required maxLength={255} onChange={(event) => setReason(event.target.value)} />
          </label>
        </Confirm>
      )}
    </>
  );
}
