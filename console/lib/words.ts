/** A code as words: `pull_due` becomes "pull due". */
export function plain(code: string): string {
  return code.replace(/[._]/g, ' ');
}

/** Name of a provider: `google_health` becomes "Google Health". */
export function named(provider: string): string {
  return provider
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** A count with its noun. */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : more}`;
}
