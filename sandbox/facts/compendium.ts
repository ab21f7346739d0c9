export interface CompendiumEntry {
  marker_id: number;
  loinc_set_hash: string;
  display_name: string;
  popularity_score: number;
  confidence: number;
  aliases: string[];
  loinc_codes: string[];
  provider_ids: string[];
  loinc_components: string[];
  loinc_groups: string[];
  cpt_codes: string[];
}

type Row = [
  hash: string,
  name: string,
  aliases: string[],
  loinc: string,
  component: string,
  cpt: string,
  popularity: number,
];

const ROWS: readonly Row[] = [
  ['a1f0', 'Hemoglobin A1c', ['HbA1c', 'Glycated hemoglobin'], '4548-4', 'Hemoglobin A1c', '83036', 97.3],
  ['b2e1', 'LDL Cholesterol', ['LDL-C'], '13457-7', 'Cholesterol in LDL', '83721', 91.8],
  ['c3d2', 'Total Cholesterol', ['Cholesterol'], '2093-3', 'Cholesterol', '82465', 88.1],
  ['d4c3', 'Glucose', ['Fasting glucose'], '2345-7', 'Glucose', '82947', 95.6],
  ['e5b4', 'Thyroid Stimulating Hormone', ['TSH', 'Thyrotropin'], '3016-3', 'Thyrotropin', '84443', 89.9],
];

/** A small compendium with made-up hashes and codes. */
export const COMPENDIUM_ENTRIES: readonly CompendiumEntry[] = ROWS.map(
  ([hash, display_name, aliases, loinc, component, cpt, popularity_score], index) => ({
    marker_id: 1000 + index * 10,
    loinc_set_hash: hash.repeat(8),
    display_name,
    popularity_score,
    confidence: 0.97 - index * 0.04,
    aliases,
    loinc_codes: [loinc],
    provider_ids: [`P${index + 1}`],
    loinc_components: [component],
    loinc_groups: [],
    cpt_codes: [cpt],
  }),
);
