import { type ReactNode, useState } from 'react';
import type { ToldBody } from '../../lib/api.js';
import { Confirm } from '../../parts/dialog.js';

const ways = ['phone', 'message', 'email', 'letter', 'in_person', 'app', 'other'] as const;

/** Records how and when a patient was told; the record stays with the order. */
export function Tell({
  what,
  run,
  onClose,
}: {
  readonly what: string;
  readonly run: (body: ToldBody) => Promise<unknown>;
  readonly onClose: () => void;
}): ReactNode {
  const [how, setHow] = useState<ToldBody['how']>('phone');
  const [at, setAt] = useState('');
  return (
    <Confirm
      title={`The patient was told of ${what}`}
      act="Record it"
      onClose={onClose}
      run={() => run(at === '' ? { how } : { how, told_at: new Date(at).toISOString() })}
    >
      <p>The record is kept with your name, and others see that the patient need not be told again.</p>
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
