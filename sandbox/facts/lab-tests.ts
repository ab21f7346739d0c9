import { uuidFrom } from '../engine/random.js';

export interface Question {
  id: number;
  code: string;
  type: string;
  value: string;
  constraint: string | null;
  answers: readonly { id: number; code: string; value: string }[];
  required: boolean;
  sequence: number;
}

export interface Marker {
  id: number;
  name: string;
  slug: string;
  provider_id: string;
  unit: string;
  range: readonly [number, number];
  /** Asked when it is ordered. */
  questions?: readonly Question[];
}

export interface Lab {
  id: number;
  slug: string;
  name: string;
  first_line_address: string;
  city: string;
  zipcode: string;
  collection_methods: string[];
  sample_types: string[];
}

export interface LabTest {
  id: string;
  slug: string;
  name: string;
  method: string;
  lab: Lab;
  sampleType: string;
  price: number;
  fasting: boolean;
  markers: readonly Marker[];
}

const LIPIDS: readonly Marker[] = [
  { id: 11, name: 'LDL Cholesterol', slug: 'ldl-cholesterol', provider_id: '120295', unit: 'mg/dL', range: [40, 130] },
  { id: 12, name: 'HDL Cholesterol', slug: 'hdl-cholesterol', provider_id: '011817', unit: 'mg/dL', range: [39, 91] },
  { id: 13, name: 'Triglycerides', slug: 'triglycerides', provider_id: '001172', unit: 'mg/dL', range: [31, 149] },
];

const METABOLIC: readonly Marker[] = [
  { id: 21, name: 'Glucose', slug: 'glucose', provider_id: '001818', unit: 'mg/dL', range: [70, 99] },
  { id: 22, name: 'Creatinine', slug: 'creatinine', provider_id: '001370', unit: 'mg/dL', range: [0.6, 1.3] },
];

const ALLERGY: readonly Marker[] = [
  { id: 31, name: 'IgE Peanut', slug: 'ige-peanut', provider_id: '602432', unit: 'FSU', range: [0, 0.34] },
];

const yesOrNo = [
  { id: 1, code: 'Y', value: 'Yes' },
  { id: 2, code: 'N', value: 'No' },
];

const HORMONES: readonly Marker[] = [
  {
    id: 41,
    name: 'Estradiol',
    slug: 'estradiol',
    provider_id: '004515',
    unit: 'pg/mL',
    range: [15, 350],
    questions: [
      {
        id: 901,
        code: 'PREG',
        type: 'choice',
        value: 'Is the patient pregnant?',
        constraint: null,
        answers: yesOrNo,
        required: true,
        sequence: 1,
      },
      {
        id: 902,
        code: 'NOTE',
        type: 'text',
        value: 'Further remarks',
        constraint: null,
        answers: [],
        required: false,
        sequence: 2,
      },
    ],
  },
];

type Row = [
  slug: string,
  name: string,
  method: string,
  lab: [number, string, string],
  sample: string,
  markers: readonly Marker[],
];

const ROWS: readonly Row[] = [
  ['lipid-panel', 'Lipid Panel', 'walk_in_test', [6, 'quest', 'Quest'], 'serum', LIPIDS],
  ['lipid-panel-labcorp', 'Lipid Panel', 'walk_in_test', [27, 'labcorp', 'Labcorp'], 'serum', LIPIDS],
  ['metabolic-sonora', 'Metabolic Panel', 'walk_in_test', [31, 'sonora_quest', 'Sonora Quest'], 'serum', METABOLIC],
  ['metabolic-home', 'Metabolic Panel at home', 'at_home_phlebotomy', [6, 'quest', 'Quest'], 'serum', METABOLIC],
  ['allergy-kit', 'Allergy Kit', 'testkit', [2, 'us_biotek', 'US Biotek'], 'dried_blood_spot', ALLERGY],
  [
    'metabolic-site',
    'Metabolic Panel on site',
    'on_site_collection',
    [8, 'bioreference', 'BioReference'],
    'serum',
    METABOLIC,
  ],
  ['hormone-panel', 'Hormone Panel', 'walk_in_test', [8, 'bioreference', 'BioReference'], 'serum', HORMONES],
];

/** A lab with all fields that upstream requires; it supports the collection methods and samples of its tests. */
function labOf([id, slug, name]: Row[3]): Lab {
  const own = ROWS.filter(([, , , lab]) => lab[1] === slug);
  return {
    id,
    slug,
    name,
    first_line_address: '123 Main Street',
    city: 'San Francisco',
    zipcode: '91789',
    collection_methods: [...new Set(own.map(([, , method]) => method))],
    sample_types: [...new Set(own.map(([, , , , sample]) => sample))],
  };
}

export const LAB_TESTS: readonly LabTest[] = ROWS.map(([slug, name, method, lab, sampleType, markers], index) => ({
  id: uuidFrom('lab test', slug),
  slug,
  name,
  method,
  lab: labOf(lab),
  sampleType,
  price: 19.5 + index * 7.25,
  fasting: index % 2 === 0,
  markers,
}));

export function findLabTest(id: string): LabTest | undefined {
  return LAB_TESTS.find((test) => test.id === id.toLowerCase());
}

export function labTestFor(method: string, lab?: string): LabTest | undefined {
  return LAB_TESTS.find((test) => test.method === method && (lab === undefined || test.lab.slug === lab));
}
