import { useLayoutEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { keepingSpan } from '../lib/span.js';
import { views } from '../views.js';

const LETTER_WITHIN_MS = 1_500;

/** Keys that work unless text is being typed or a dialog is open. */
export const keys: readonly (readonly [string, string])[] = [
  ['/', 'search'],
  ['g then a letter', 'go to a view'],
  ['j, k', 'next, previous row'],
  ['Enter', 'open the row'],
  ['Escape', 'close, or leave the search'],
  ['?', 'this help'],
];

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}

/** Moves the focus to another row of the list. */
function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement));
  const next = rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

export function useKeyboard(onHelp: () => void): void {
  const [, navigate] = useLocation();
  // Kept across renders, because the page may render new data between the two keys.
  const goAt = useRef(Number.NEGATIVE_INFINITY);
  // Runs before the page is painted, so that no key is lost.
  useLayoutEffect(() => {
    const acts: Readonly<Record<string, () => void>> = {
      g: () => undefined,
      '/': () => document.querySelector<HTMLElement>('#search')?.focus(),
      j: () => moveRow(1),
      k: () => moveRow(-1),
      '?': onHelp,
      Escape: () => document.querySelector<HTMLElement>('[data-close]')?.click(),
    };
    function onKey(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
      if (isTyping(event.target)) {
        if (event.key === 'Escape') (event.target as HTMLElement).blur();
        return;
      }
      const wasGo = event.timeStamp - goAt.current < LETTER_WITHIN_MS;
      goAt.current = Number.NEGATIVE_INFINITY;
      const view = wasGo ? views.find(({ letter }) => letter === event.key) : undefined;
      const act = view ? () => navigate(keepingSpan(view.href, window.location.search)) : acts[event.key];
      if (act === undefined) return;
      if (event.key === 'g' && !view) goAt.current = event.timeStamp;
      act();
      event.preventDefault();
    }
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate, onHelp]);
}
