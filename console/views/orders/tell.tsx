import { type ReactNode, useState } from 'react';
import type { RecordedToldDto, ToldBody } from '../../lib/api.js';
import { everyOf } from '../../lib/every.js';
import { useMay } from '../../lib/session.js';
import { Age } from '../../parts/age.js';
import { Confirm } from '../../parts/dialog.js';

const ways = everyOf<ToldBody['how']>()(['phone', 'message', 'email', 'letter', 'in_person', 'app', 'other']);

interface TellProps {
  /** Subject of which the patient must be informed. */
  readonly what: string;
  readonly run: (body: ToldBody) => Promise<RecordedToldDto>;
}

/** The button with which operators record that the patient was informed, shown until a record exists. */
export function TellAct({ isDue, ...props }: TellProps & { readonly isDue: boolean }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [before, setBefore] = useState<RecordedToldDto | null>(null);
  const mayAct = useMay('operator');
  return (
    <>
      {isDue && mayAct && (
        <button type="button" className="main" onClick={() => setOpen(true)}>
          Record that the patient was informed
        </button>
      )}
      {isOpen && <Tell {...props} onRecorded={setBefore} onClose={() => setOpen(false)} />}
      {before?.replayed && (
        <span role="status">
          {before.by} had recorded it before ({before.how.replaceAll('_', ' ')}, <Age at={before.at} />
          ). That record stays; yours was not added.
        </span>
      )}
    </>
  );
}

/** Records how and when a patient was informed; the record stays with the order. */
function Tell({
  what,
  run,
  onRecorded,
  onClose,
}: TellProps & {
  readonly onRecorded: (told: RecordedToldDto) => void;
  readonly onClose: () => void;
}): ReactNode {
  const [how, setHow] = useState<ToldBody['how']>('phone');
  const [at, setAt] = useState('');
  return (
    <Confirm
      title={`The patient was informed of ${what}`}
      act="Record it"
      onClose={onClose}
      run={async () => onRecorded(await run(at === '' ? { how } : { how, told_at: new Date(at).toISOString() }))}
    >
      <p>The record includes your name and shows others that the patient has been informed.</p>
      <label className="field">
        <span>How</span>
        <select value={how} onChange={(event) => setHow(ways.find((way) => way === event.target.value) ?? 'other')}>
          {ways.map((way) => (
            <option key={way} value={way}>
              {way.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span>When (empty: now)</span>
        <input type="datetime-local" value={at} onChange={(event) => setAt(event.target.value)} />
      </label>
    </Confirm>
  );
}
