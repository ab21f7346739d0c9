const unitsAndOffsets = /^\{("timezone_offset":-?\d{1,6})?,?("unit":"[A-Za-z0-9%\u00b0\u00b5/*^._ -]{0,24}")?\}$/;

/**
 * Whether attributes are a unit and an offset and nothing else. Such are the same for everybody and say nothing of
 * anybody; whatever else a sample carries may be free text, and belongs to its person.
 */
export function mayBeShared(content: string): boolean {
  return unitsAndOffsets.test(content);
}
