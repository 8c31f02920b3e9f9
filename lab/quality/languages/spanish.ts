import type { CorpusLanguage } from './corpus-language.ts';

export const SPANISH: CorpusLanguage = {
  code: 'es',
  names: [
    'Museo de Albarraza',
    'Faro de Punta Mera',
    'Biblioteca de Cebolledo',
    'Molino de Tarazuela',
    'Observatorio de Jabalina',
    'Puerto de Santillán',
    'Archivo de Oropesilla',
    'Hospital de Almazanes',
    'Cervecería de Montijar',
    'Estación de aguas de Brihuela',
    'Teatro de Lermanda',
    'Vivero de Zafrilla',
  ],
  persons: [
    'Inés Carvajal',
    'Tomás Quiroga',
    'Pilar Echevarría',
    'Julián Bermúdez',
    'Lucía Santolaya',
    'Ramón Peñalver',
    'Marta Irigoyen',
    'Andrés Valcárcel',
    'Rosa Monteagudo',
    'Emilio Zaragüeta',
    'Beatriz Olmedilla',
    'Fermín Arrabal',
  ],
  topics: [
    {
      heading: 'Historia',
      statement:
        'La primera piedra se colocó en # por encargo de los comerciantes de la ciudad, aunque la obra se detuvo dos veces por falta de dinero.',
      fact: 'year',
    },
    {
      heading: 'Entradas',
      statement: 'El abono anual cuesta # céntimos y se vende en la taquilla junto al portón.',
      fact: 'number',
    },
    {
      heading: 'Dirección',
      statement: 'La dirección está a cargo de #, a quien el ayuntamiento nombró tras una larga búsqueda.',
      fact: 'person',
    },
    {
      heading: 'Mantenimiento',
      statement:
        'La bomba principal se revisa cada # horas de funcionamiento, y entonces se cambian sus juntas.',
      fact: 'number',
    },
    {
      heading: 'Medidas',
      statement: 'La sala grande tiene # centímetros de altura y carece de columnas.',
      fact: 'number',
    },
    {
      heading: 'Emergencias',
      statement: 'En caso de incendio, marque la extensión # y salga del edificio por las escaleras.',
      fact: 'number',
    },
    {
      heading: 'Colección',
      statement: 'La colección reúne # cartas de marineros, la mayoría de las cuales nunca se entregó.',
      fact: 'number',
    },
    {
      heading: 'Consumo anual',
      statement: 'Electricidad en kWh|Agua en metros cúbicos|Gas en metros cúbicos',
      fact: 'number',
    },
  ],
  filler: [
    'El comité lo discutió largamente y piensa volver sobre ello en primavera.',
    'La mayoría de los visitantes llega a pie, porque la carretera del río es estrecha.',
    'Un informe sobre el asunto se envía gratis a quien lo pida.',
    'Varios vecinos han ofrecido su ayuda para los trabajos del jardín.',
    'Las ventanas del lado norte se cambiaron hace algún tiempo.',
    'Las opiniones difieren, pero nadie ha propuesto todavía nada mejor.',
    'Los caminos se barren cada mañana, también en invierno.',
    'Una pequeña cocina sirve té, sopa y pan a los que esperan.',
    'Se permiten las fotografías mientras nadie se moleste.',
    'El personal de la entrada responde con gusto a otras preguntas.',
    'El tejado no gotea desde la última gran tormenta.',
    'Los colegios vienen por la mañana y las familias por la tarde.',
  ],
};
