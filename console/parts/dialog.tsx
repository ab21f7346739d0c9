import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { Failure } from './conditions.js';

/** A native modal dialog: it traps the focus, closes on Escape, and returns the focus to where it was. */
export function Dialog({
  title,
  isBusy = false,
  onClose,
  children,
}: {
  readonly title: string;
  /** Keeps the dialog open, so that the outcome is seen. */
  readonly isBusy?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // The browser returns the focus when it closes the dialog. Later the focus may already have moved on.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => isBusy && event.preventDefault()}
      // In development React mounts everything twice, so the first close may arrive when the dialog is open again.
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

export interface Confirmation {
  readonly title: string;
  /** A sentence that states the effect. */
  readonly children: ReactNode;
  /** A verb with its object: "Erase demo-user-07". */
  readonly act: string;
  /** Must be typed first, for actions that cannot be undone. */
  readonly typed?: string;
  readonly destructive?: boolean;
  /** False while the data it needs is being read. */
  readonly isReady?: boolean;
  readonly run: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for confirmation before an action; an error stays in the dialog. */
export function Confirm({
  title,
  children,
  act,
  typed,
  destructive,
  isReady = true,
  run,
  onClose,
}: Confirmation): ReactNode {
  const [text, setText] = useState('');
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const mayRun = isReady && !isRunning && (typed === undefined || text.trim() === typed);
  async function submit(): Promise<void> {
    setRunning(true);
    setError(null);
    try {
      await run();
      onClose();
    } catch (failure) {
      setError(failure);
      setRunning(false);
    }
  }
  return (
    <Dialog title={title} isBusy={isRunning} onClose={onClose}>
      <form
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (mayRun) void submit();
        }}
      >
        {children}
        {typed !== undefined && (
          <label className="field">
            <span>
              Type <code>{typed}</code> to confirm
            </span>
            <input
              value={text}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
        )}
        {error !== null && <Failure error={error} refused="Nothing was changed." />}
        <div className="line end">
          <button type="button" disabled={isRunning} onClick={onClose}>
            Back
          </button>
          <button type="submit" className={destructive ? 'danger' : 'main'} disabled={!mayRun}>
            {isRunning ? 'Working' : act}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
