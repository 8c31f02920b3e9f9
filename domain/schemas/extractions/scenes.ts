import { oneOf, result, wordList, words } from './parts.ts';

/** Schemas of extractions from photographs, artworks and screenshots. */

const condition = words('Its condition, as far as it can be seen');

export const realEstate = {
  version: 'real-estate-v1',
  instructions: 'List features, fixtures, appliances, materials and visible defects of the property.',
  ...result(
    {
      view: oneOf(['exterior', 'interior', 'aerial', 'floor_plan', 'amenity'], 'What is shown'),
      room_type: words('Kind of room, indoors'),
      property_type: words('Kind of property'),
      style: words('Style of building or furnishing'),
      condition: words('Overall condition, as far as it can be seen'),
    },
    {
      kind: oneOf(['feature', 'fixture', 'appliance', 'material', 'defect', 'other'], 'What the item is'),
      name: words('Its name'),
      condition,
    },
  ),
};

export const mining = {
  version: 'mining-v1',
  instructions: 'List equipment, rock and ore features, infrastructure, water, people and visible hazards.',
  ...result(
    { scene: words('Open pit, underground, plant, core …'), material: words('Rock or ore, if evident') },
    {
      kind: oneOf(
        ['equipment', 'rock_feature', 'ore', 'infrastructure', 'water', 'person', 'hazard', 'other'],
        'What the item is',
      ),
      name: words('Its name'),
      condition,
    },
  ),
};

export const productPhoto = {
  version: 'product-photo-v1',
  instructions: 'List features, labels, accessories and visible defects of the product.',
  ...result(
    {
      product_type: words('Kind of product'),
      brand: words('Brand, if legible'),
      model: words('Model, if legible'),
      material: words('Main material'),
      background: words('The background'),
      colours: wordList('Colours of the product, main one first'),
    },
    {
      kind: oneOf(['feature', 'label', 'accessory', 'defect', 'other'], 'What the item is'),
      name: words('Its name or text'),
    },
  ),
};

export const robotics = {
  version: 'robotics-v1',
  instructions: 'List every robot, end effector, sensor, object, obstacle and person in the scene.',
  ...result(
    {
      environment: words('Laboratory, warehouse, street …'),
      robot_type: words('Kind of robot, if one is seen'),
      viewpoint: words('From where the scene is seen'),
      task: words('What is being done'),
    },
    {
      kind: oneOf(
        ['robot', 'end_effector', 'sensor', 'object', 'obstacle', 'person', 'surface', 'other'],
        'What the item is',
      ),
      name: words('Its name'),
      state: words('Its state: held, open, moving …'),
    },
  ),
};

export const artwork = {
  version: 'artwork-v1',
  instructions: 'List the subjects of the work. Do not guess an artist or a year that is not written.',
  ...result(
    {
      medium: words('Medium'),
      technique: words('Technique'),
      style: words('Style'),
      composition: words('Composition'),
      signature: words('Signature or inscription as written'),
      palette: wordList('Main colours, largest first'),
    },
    { subject: words('What is depicted') },
  ),
};

export const screenshot = {
  version: 'screenshot-v1',
  instructions: 'List the windows, menus, controls and messages that matter, with their texts.',
  ...result(
    {
      application: words('Application or site'),
      platform: words('Operating system or device'),
      view: words('The view or page shown'),
      theme: oneOf(['light', 'dark'], 'Colour scheme'),
    },
    {
      kind: oneOf(
        ['window', 'menu', 'button', 'input', 'table', 'message', 'error', 'text', 'other'],
        'What the item is',
      ),
      label: words('Its text as written'),
      state: words('Selected, disabled, open …'),
    },
  ),
};

export const document = {
  version: 'document-v1',
  instructions: 'List headings, fields with their values, tables, signatures, stamps and logos.',
  ...result(
    {
      document_type: words('Kind of document'),
      title: words('Title as written'),
      issuer: words('Who issued it'),
      date: words('Date as written'),
      language: words('Language, as ISO 639-1'),
    },
    {
      kind: oneOf(['heading', 'field', 'table', 'signature', 'stamp', 'logo', 'other'], 'What the item is'),
      label: words('Its label or text as written'),
      value: words('The value of a field as written'),
    },
  ),
};

export const construction = {
  version: 'construction-v1',
  instructions: 'List elements under construction, machines, materials, people, safety gear and hazards.',
  ...result(
    { stage: words('Stage of the work'), site_type: words('Kind of site'), weather: words('Weather') },
    {
      kind: oneOf(
        ['element', 'machine', 'material', 'person', 'safety_gear', 'hazard', 'defect', 'other'],
        'What the item is',
      ),
      name: words('Its name'),
      condition,
    },
  ),
};

export const facilityAssessment = {
  version: 'facility-assessment-v1',
  instructions: 'List components and every visible deficiency with its extent. Do not estimate costs.',
  ...result(
    {
      asset: words('The building, room or asset'),
      system: words('Roof, facade, structure, electrical …'),
      condition: oneOf(['good', 'fair', 'poor', 'critical'], 'Overall condition, as far as it can be seen'),
    },
    {
      kind: oneOf(['deficiency', 'component', 'other'], 'What the item is'),
      name: words('Its name'),
      severity: oneOf(['minor', 'moderate', 'severe'], 'Severity of a deficiency'),
      extent: words('Extent of a deficiency'),
    },
  ),
};
