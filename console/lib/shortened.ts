/** A long id with its middle omitted: 7c2e91d4…05af. */
export function shortened(id: string, longest = 18): string {
  return id.length <= longest ? id : `${id.slice(0, longest - 7)}…${id.slice(-5)}`;
}
