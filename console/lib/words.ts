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

/** Of an empty list: its filters may hide rows, if any is set. A list may have another hint for that. */
export function nothingIn(one: string, filters: object, hint: string, hintOfFilters = hint): string {
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return isFiltered ? `No ${one} matches these filters. ${hintOfFilters}` : `No ${one} yet. ${hint}`;
}

/** A count with its noun. */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : more}`;
}
