import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { Failure } from './conditions.js';

/** A modal dialog of the browser: it keeps the focus, Escape closes it, and the focus returns to where it was. */
export function Dialog({
  title,
  isBusy = false,
  onClose,
  children,
}: {
  readonly title: string;
  /** Stays open, so that the outcome of what it does is seen. */
  readonly isBusy?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // The browser returns the focus as it closes the dialog. Later it may already be somewhere else.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => isBusy && event.preventDefault()}
      // In development React mounts everything twice, so the first close may come when it is open again.
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

export interface Confirmation {
  readonly title: string;
  /** What is lost or done, in a sentence. */
  readonly children: ReactNode;
  /** A verb with its object and number: "Erase demo-user-07". */
  readonly act: string;
  /** Must be typed first, of an act that cannot be undone. */
  readonly typed?: string;
  readonly destructive?: boolean;
  /** False while what it needs is being read. */
  readonly isReady?: boolean;
  readonly run: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before an act; an error stays in the dialog. */
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
