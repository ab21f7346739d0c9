import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiProblem } from '../../http/server/openapi.js';
import { version } from '../../platform/config/versions.js';
import { fhirType, fhirVersion } from './fhir-resources.js';

/** Public, like every CapabilityStatement: it says what this program can do, and nothing about this service. */
const statement = {
  resourceType: 'CapabilityStatement',
  status: 'active',
  date: '2026-11-27',
  kind: 'instance',
  software: { name: 'Pulsekeep', version },
  implementation: { description: 'Lab orders and results as Bundles' },
  fhirVersion,
  format: [fhirType],
  rest: [
    {
      mode: 'server',
      documentation:
        'No interaction of the FHIR REST API. With `Accept: application/fhir+json` these addresses return a Bundle of ' +
        'ServiceRequest, Specimen, DiagnosticReport and Observation: GET /admin/v1/orders/{order_id}/result, ' +
        'GET /admin/v1/order-transactions/{id}/result, and of ServiceRequest and Specimen: ' +
        'GET /admin/v1/order-transactions/{id}; and of DocumentReference and Observation, for reports that were parsed: ' +
        'GET /v1/accounts/{account_id}/lab-reports/{job_id} and /v1/me/lab-reports/{job_id}. Each needs the same key as its JSON.',
    },
  ],
} as const;

@ApiTags('orders')
@Controller('fhir')
export class CapabilityController {
  @Get('metadata')
  @Header('content-type', `${fhirType}; charset=utf-8`)
  @ApiOperation({ summary: 'Get the CapabilityStatement of FHIR R4' })
  @ApiOkResponse({ content: { [fhirType]: { schema: { type: 'object', additionalProperties: true } } } })
  @ApiProblem('internal')
  getFhirMetadata(): typeof statement {
    return statement;
  }
}
