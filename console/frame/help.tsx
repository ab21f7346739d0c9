import type { ReactNode } from 'react';
import { Dialog } from '../parts/dialog.js';
import { views } from '../views.js';
import { keys } from './keyboard.js';

export function Help({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl className="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
        {views.map(({ letter, name }) => (
          <div key={letter}>
            <dt>
              <kbd>g {letter}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" className="line end">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
