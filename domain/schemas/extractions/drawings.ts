import { oneOf, result, wordList, words } from './parts.ts';

/** Schemas of extractions from drawings, plans and diagrams. */

export const layoutRegion = {
  version: 'layout-region-v1',
  instructions:
    'List the regions into which the sheet, page or screen is divided, in reading order, each with its box.',
  ...result(
    {},
    {
      kind: oneOf(
        [
          'title_block',
          'drawing_view',
          'plan',
          'section',
          'elevation',
          'detail',
          'table',
          'legend',
          'notes',
          'header',
          'footer',
          'navigation',
          'figure',
          'text_block',
          'other',
        ],
        'What the region holds',
      ),
      title: words('Its title as written'),
      text: words('Its text as written, if it is text'),
    },
  ),
};

export const legend = {
  version: 'legend-v1',
  instructions:
    'List the entries of every legend, key or symbol list. An empty list means that there is none.',
  ...result(
    { title: words('Title of the legend as written') },
    { symbol: words('The symbol, line style or abbreviation'), meaning: words('Its meaning as written') },
  ),
};

export const schedule = {
  version: 'schedule-v1',
  instructions:
    'List the rows of every schedule (doors, windows, finishes, equipment and the like), with cells in the order of the columns.',
  ...result(
    { title: words('Title of the schedule as written'), columns: wordList('Headings of the columns') },
    { mark: words('The mark or tag of the row'), cells: wordList('The cells of the row as written') },
  ),
};

export const technicalDiagram = {
  version: 'technical-diagram-v1',
  instructions: 'List the labelled parts, the connections between them, the dimensions and the annotations.',
  ...result(
    {
      diagram_type: words('Kind of diagram'),
      title: words('Title as written'),
      drawing_number: words('Drawing number as written'),
      revision: words('Revision as written'),
      scale: words('Scale as written'),
    },
    {
      kind: oneOf(['part', 'connection', 'dimension', 'annotation'], 'What the item is'),
      label: words('Its label as written'),
      from: words('Where a connection begins'),
      to: words('Where a connection ends'),
      value: words('Its value as written'),
      unit: words('Unit of the value'),
    },
  ),
};

export const architecturalDesign = {
  version: 'architectural-design-v1',
  instructions: 'List rooms, openings, stairs, fixtures and materials. Give sizes only as written.',
  ...result(
    {
      drawing_type: words('Plan, section, elevation, rendering, model …'),
      building_type: words('Kind of building'),
      style: words('Architectural style'),
      scale: words('Scale as written'),
      levels: words('Storeys, as named or as they can be counted'),
      area: words('Total area as written'),
    },
    {
      kind: oneOf(
        ['room', 'door', 'window', 'stair', 'wall', 'fixture', 'material', 'dimension', 'other'],
        'What the item is',
      ),
      name: words('Its name or label'),
      level: words('Its storey'),
      dimensions: words('Dimensions as written'),
      area: words('Area as written'),
    },
  ),
};

export const cePlan = {
  version: 'ce-plan-v1',
  instructions:
    'List structures, stations, elevations, utilities, roads, drainage and boundaries, with values as written.',
  ...result(
    {
      plan_type: words('Kind of civil engineering plan'),
      project: words('Name of the project as written'),
      scale: words('Scale as written'),
      datum: words('Datum as written'),
      north_arrow: words('Direction of north on the sheet; null without an arrow'),
    },
    {
      kind: oneOf(
        [
          'structure',
          'station',
          'elevation',
          'contour',
          'utility',
          'road',
          'drainage',
          'boundary',
          'dimension',
          'other',
        ],
        'What the item is',
      ),
      name: words('Its name or label'),
      value: words('Its value as written'),
      unit: words('Unit of the value'),
    },
  ),
};

export const pid = {
  version: 'pid-v1',
  instructions:
    'List equipment, valves, instruments, lines and nozzles with their tags exactly as written, and what they are connected to.',
  ...result(
    {
      drawing_number: words('Drawing number as written'),
      title: words('Title as written'),
      revision: words('Revision as written'),
    },
    {
      kind: oneOf(
        ['equipment', 'valve', 'instrument', 'line', 'nozzle', 'control_loop', 'other'],
        'What the item is',
      ),
      tag: words('Its tag as written'),
      description: words('What it is or does'),
      line_number: words('Number of its line as written'),
      connected_to: wordList('Tags of what it is connected to'),
    },
  ),
};

export const pfd = {
  version: 'pfd-v1',
  instructions:
    'List main equipment, streams and utilities with their tags, and the conditions of streams as written.',
  ...result(
    { process: words('The process shown'), title: words('Title as written') },
    {
      kind: oneOf(['equipment', 'stream', 'utility', 'other'], 'What the item is'),
      tag: words('Its tag or number as written'),
      name: words('Its name'),
      from: words('Where a stream begins'),
      to: words('Where a stream ends'),
      temperature: words('Temperature as written'),
      pressure: words('Pressure as written'),
      flow: words('Flow as written'),
    },
  ),
};

export const map = {
  version: 'map-v1',
  instructions: 'List the places, roads, waters, boundaries and symbols that stand out, named as written.',
  ...result(
    {
      map_type: words('Kind of map'),
      area: words('The area shown'),
      scale: words('Scale as written'),
      projection: words('Projection as written'),
      year: words('Year as written'),
    },
    {
      kind: oneOf(['place', 'road', 'water', 'boundary', 'route', 'symbol', 'other'], 'What the item is'),
      name: words('Its name as written'),
    },
  ),
};
