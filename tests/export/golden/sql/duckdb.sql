-- what the database says that it is
SELECT
  *
FROM (
  SELECT
    "t3"."name"
  FROM (
    SELECT
      *
    FROM (
      SELECT
        "t0"."cdm_source_name" AS "name"
      FROM "cdm"."cdm_source" AS "t0"
    ) AS "t1"
    UNION ALL
    SELECT
      *
    FROM (
      SELECT
        "t0"."cdm_source_abbreviation" AS "name"
      FROM "cdm"."cdm_source" AS "t0"
    ) AS "t2"
  ) AS "t3"
  GROUP BY
    1
) AS "t4"
ORDER BY
  "t4"."name" ASC;

-- persons in the database
SELECT
  COUNT("t1"."person_id") AS "rows",
  COUNT(DISTINCT "t1"."person_id") AS "persons"
FROM (
  SELECT
    *
  FROM "cdm"."person" AS "t0"
) AS "t1";

-- descendants of concepts
SELECT
  *
FROM (
  SELECT
    "t1"."ancestor",
    "t1"."descendant"
  FROM (
    SELECT
      "t0"."ancestor_concept_id" AS "ancestor",
      "t0"."descendant_concept_id" AS "descendant"
    FROM "cdm"."concept_ancestor" AS "t0"
    WHERE
      "t0"."ancestor_concept_id" IN (313217, 443454)
  ) AS "t1"
  GROUP BY
    1,
    2
) AS "t2"
ORDER BY
  "t2"."ancestor" ASC,
  "t2"."descendant" ASC;

-- persons with the index condition
SELECT
  COUNT(DISTINCT "t1"."person_id") AS "persons",
  MIN("t1"."person_id") AS "least",
  MAX("t1"."person_id") AS "most"
FROM (
  SELECT
    "t0"."person_id"
  FROM "cdm"."condition_occurrence" AS "t0"
  WHERE
    "t0"."condition_concept_id" IN (313217, 4141360)
    AND "t0"."condition_start_date" IS NOT NULL
    AND "t0"."person_id" IS NOT NULL
) AS "t1";

-- persons with the index condition, by strips of ids
SELECT
  "t4"."persons",
  "t4"."least",
  "t4"."most"
FROM (
  SELECT
    "t3"."strip",
    COUNT("t3"."person_id") AS "persons",
    MIN("t3"."person_id") AS "least",
    MAX("t3"."person_id") AS "most"
  FROM (
    SELECT
      "t2"."person_id",
      CAST(FLOOR(CAST("t2"."person_id" AS DOUBLE) / 245) AS BIGINT) AS "strip"
    FROM (
      SELECT
        "t1"."person_id"
      FROM (
        SELECT
          "t0"."person_id"
        FROM "cdm"."condition_occurrence" AS "t0"
        WHERE
          "t0"."condition_concept_id" IN (313217, 4141360)
          AND "t0"."condition_start_date" IS NOT NULL
          AND "t0"."person_id" BETWEEN 1 AND 1000000
      ) AS "t1"
      GROUP BY
        1
    ) AS "t2"
  ) AS "t3"
  GROUP BY
    1
) AS "t4"
ORDER BY
  "t4"."least" ASC;

-- persons and the steps that they pass
WITH "t10" AS (
  SELECT
    "t4"."person_id",
    MIN("t4"."date") AS "index_date"
  FROM (
    SELECT
      "t1"."person_id",
      "t1"."condition_start_date" AS "date"
    FROM "cdm"."condition_occurrence" AS "t1"
    WHERE
      "t1"."condition_concept_id" IN (313217, 4141360)
      AND "t1"."condition_start_date" IS NOT NULL
      AND "t1"."person_id" BETWEEN 1 AND 1000000
  ) AS "t4"
  GROUP BY
    1
)
SELECT
  "t21"."person_id",
  "t21"."index_date",
  "t21"."year_of_birth",
  "t21"."gender",
  "t21"."in_person",
  "t21"."of_age",
  "t21"."observed",
  "t21"."observed_before",
  "t21"."observed_after",
  "t21"."outcome",
  "t21"."on_index_date",
  "t21"."outcome_before_leaving"
FROM (
  SELECT
    "t12"."person_id" AS "raw_id",
    "t12"."person_id",
    "t12"."index_date",
    "t7"."year_of_birth",
    "t7"."gender",
    CAST(CASE WHEN "t7"."known" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT) AS "in_person",
    CAST(CASE
      WHEN (
        (
          EXTRACT(year FROM "t12"."index_date") - "t7"."year_of_birth"
        ) >= 0
      )
      AND (
        (
          EXTRACT(year FROM "t12"."index_date") - "t7"."year_of_birth"
        ) <= 120
      )
      THEN 1
      ELSE 0
    END AS BIGINT) AS "of_age",
    COALESCE("t20"."observed", 0) AS "observed",
    COALESCE("t20"."observed_before", 0) AS "observed_before",
    COALESCE("t20"."observed_after", 0) AS "observed_after",
    COALESCE("t18"."within", 0) AS "outcome",
    COALESCE("t18"."on_day", 0) AS "on_index_date",
    CAST(CASE WHEN "t18"."first_outcome" <= "t20"."last_day" THEN 1 ELSE 0 END AS BIGINT) AS "outcome_before_leaving"
  FROM "t10" AS "t12"
  LEFT OUTER JOIN (
    SELECT
      "t0"."person_id" AS "known",
      "t0"."year_of_birth",
      "t0"."gender_concept_id" AS "gender"
    FROM "cdm"."person" AS "t0"
    WHERE
      "t0"."person_id" BETWEEN 1 AND 1000000
  ) AS "t7"
    ON "t12"."person_id" = "t7"."known"
  LEFT OUTER JOIN (
    SELECT
      "t16"."observed_id",
      MAX(CAST(CASE WHEN "t16"."start" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT)) AS "observed",
      MAX(
        CAST(CASE
          WHEN "t16"."start" <= (
            "t16"."index_date" - INTERVAL '365' DAY
          )
          THEN 1
          ELSE 0
        END AS BIGINT)
      ) AS "observed_before",
      MAX(
        CAST(CASE
          WHEN (
            "t16"."start" <= (
              "t16"."index_date" - INTERVAL '365' DAY
            )
          )
          AND (
            "t16"."end" >= (
              "t16"."index_date" + INTERVAL '365' DAY
            )
          )
          THEN 1
          ELSE 0
        END AS BIGINT)
      ) AS "observed_after",
      MAX("t16"."end") FILTER(WHERE
        "t16"."start" <= (
          "t16"."index_date" - INTERVAL '365' DAY
        )) AS "last_day",
      MIN("t16"."start") FILTER(WHERE
        "t16"."start" <= (
          "t16"."index_date" - INTERVAL '365' DAY
        )) AS "first_day"
    FROM (
      SELECT
        *
      FROM (
        SELECT
          "t9"."observed_id",
          "t9"."start",
          "t9"."end",
          "t13"."person_id",
          "t13"."index_date"
        FROM (
          SELECT
            "t2"."person_id" AS "observed_id",
            "t2"."observation_period_start_date" AS "start",
            "t2"."observation_period_end_date" AS "end"
          FROM "cdm"."observation_period" AS "t2"
          WHERE
            "t2"."person_id" BETWEEN 1 AND 1000000
        ) AS "t9"
        INNER JOIN "t10" AS "t13"
          ON "t9"."observed_id" = "t13"."person_id"
      ) AS "t15"
      WHERE
        "t15"."start" <= "t15"."index_date" AND "t15"."end" >= "t15"."index_date"
    ) AS "t16"
    GROUP BY
      1
  ) AS "t20"
    ON "t12"."person_id" = "t20"."observed_id"
  LEFT OUTER JOIN (
    SELECT
      "t14"."outcome_id",
      MAX(
        CAST(CASE
          WHEN (
            "t14"."date" >= (
              "t14"."index_date" + INTERVAL '1' DAY
            )
          )
          AND (
            "t14"."date" <= (
              "t14"."index_date" + INTERVAL '365' DAY
            )
          )
          THEN 1
          ELSE 0
        END AS BIGINT)
      ) AS "within",
      MAX(CAST(CASE WHEN "t14"."date" = "t14"."index_date" THEN 1 ELSE 0 END AS BIGINT)) AS "on_day",
      MAX(CAST(CASE WHEN "t14"."date" <= "t14"."index_date" THEN 1 ELSE 0 END AS BIGINT)) AS "until_index",
      MIN("t14"."date") FILTER(WHERE
        (
          "t14"."date" >= (
            "t14"."index_date" + INTERVAL '1' DAY
          )
        )
        AND (
          "t14"."date" <= (
            "t14"."index_date" + INTERVAL '365' DAY
          )
        )) AS "first_outcome"
    FROM (
      SELECT
        "t8"."outcome_id",
        "t8"."date",
        "t13"."person_id",
        "t13"."index_date"
      FROM (
        SELECT
          "t1"."person_id" AS "outcome_id",
          "t1"."condition_start_date" AS "date"
        FROM "cdm"."condition_occurrence" AS "t1"
        WHERE
          "t1"."condition_concept_id" IN (372924, 443454)
          AND "t1"."condition_start_date" IS NOT NULL
          AND "t1"."person_id" BETWEEN 1 AND 1000000
      ) AS "t8"
      INNER JOIN "t10" AS "t13"
        ON "t8"."outcome_id" = "t13"."person_id"
    ) AS "t14"
    GROUP BY
      1
  ) AS "t18"
    ON "t12"."person_id" = "t18"."outcome_id"
) AS "t21"
ORDER BY
  "t21"."person_id" ASC;

-- the same where the outcome must be new
WITH "t10" AS (
  SELECT
    "t4"."person_id",
    MIN("t4"."date") AS "index_date"
  FROM (
    SELECT
      "t1"."person_id",
      "t1"."condition_start_date" AS "date"
    FROM "cdm"."condition_occurrence" AS "t1"
    WHERE
      "t1"."condition_concept_id" IN (313217, 4141360)
      AND "t1"."condition_start_date" IS NOT NULL
      AND "t1"."person_id" BETWEEN 1 AND 1000000
  ) AS "t4"
  GROUP BY
    1
)
SELECT
  "t21"."person_id",
  "t21"."index_date",
  "t21"."year_of_birth",
  "t21"."gender",
  "t21"."in_person",
  "t21"."of_age",
  "t21"."observed",
  "t21"."observed_before",
  "t21"."observed_after",
  "t21"."new",
  "t21"."outcome",
  "t21"."on_index_date",
  "t21"."outcome_before_leaving"
FROM (
  SELECT
    "t12"."person_id" AS "raw_id",
    "t12"."person_id",
    "t12"."index_date",
    "t7"."year_of_birth",
    "t7"."gender",
    CAST(CASE WHEN "t7"."known" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT) AS "in_person",
    CAST(CASE
      WHEN (
        (
          EXTRACT(year FROM "t12"."index_date") - "t7"."year_of_birth"
        ) >= 0
      )
      AND (
        (
          EXTRACT(year FROM "t12"."index_date") - "t7"."year_of_birth"
        ) <= 120
      )
      THEN 1
      ELSE 0
    END AS BIGINT) AS "of_age",
    COALESCE("t20"."observed", 0) AS "observed",
    COALESCE("t20"."observed_before", 0) AS "observed_before",
    COALESCE("t20"."observed_after", 0) AS "observed_after",
    COALESCE("t18"."within", 0) AS "outcome",
    COALESCE("t18"."on_day", 0) AS "on_index_date",
    CAST(CASE WHEN "t18"."first_outcome" <= "t20"."last_day" THEN 1 ELSE 0 END AS BIGINT) AS "outcome_before_leaving",
    CAST(CASE WHEN COALESCE("t18"."until_index", 0) = 0 THEN 1 ELSE 0 END AS BIGINT) AS "new"
  FROM "t10" AS "t12"
  LEFT OUTER JOIN (
    SELECT
      "t0"."person_id" AS "known",
      "t0"."year_of_birth",
      "t0"."gender_concept_id" AS "gender"
    FROM "cdm"."person" AS "t0"
    WHERE
      "t0"."person_id" BETWEEN 1 AND 1000000
  ) AS "t7"
    ON "t12"."person_id" = "t7"."known"
  LEFT OUTER JOIN (
    SELECT
      "t16"."observed_id",
      MAX(CAST(CASE WHEN "t16"."start" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT)) AS "observed",
      MAX(
        CAST(CASE
          WHEN "t16"."start" <= (
            "t16"."index_date" - INTERVAL '365' DAY
          )
          THEN 1
          ELSE 0
        END AS BIGINT)
      ) AS "observed_before",
      MAX(
        CAST(CASE
          WHEN (
            "t16"."start" <= (
              "t16"."index_date" - INTERVAL '365' DAY
            )
          )
          AND (
            "t16"."end" >= (
              "t16"."index_date" + INTERVAL '365' DAY
            )
          )
          THEN 1
          ELSE 0
        END AS BIGINT)
      ) AS "observed_after",
      MAX("t16"."end") FILTER(WHERE
        "t16"."start" <= (
          "t16"."index_date" - INTERVAL '365' DAY
        )) AS "last_day",
      MIN("t16"."start") FILTER(WHERE
        "t16"."start" <= (
          "t16"."index_date" - INTERVAL '365' DAY
        )) AS "first_day"
    FROM (
      SELECT
        *
      FROM (
        SELECT
          "t9"."observed_id",
          "t9"."start",
          "t9"."end",
          "t13"."person_id",
          "t13"."index_date"
        FROM (
          SELECT
            "t2"."person_id" AS "observed_id",
            "t2"."observation_period_start_date" AS "start",
            "t2"."observation_period_end_date" AS "end"
          FROM "cdm"."observation_period" AS "t2"
          WHERE
            "t2"."person_id" BETWEEN 1 AND 1000000
        ) AS "t9"
        INNER JOIN "t10" AS "t13"
          ON "t9"."observed_id" = "t13"."person_id"
      ) AS "t15"
      WHERE
        "t15"."start" <= "t15"."index_date" AND "t15"."end" >= "t15"."index_date"
    ) AS "t16"
    GROUP BY
      1
  ) AS "t20"
    ON "t12"."person_id" = "t20"."observed_id"
  LEFT OUTER JOIN (
    SELECT
      "t14"."outcome_id",
      MAX(
        CAST(CASE
          WHEN (
            "t14"."date" >= (
              "t14"."index_date" + INTERVAL '1' DAY
            )
          )
          AND (
            "t14"."date" <= (
              "t14"."index_date" + INTERVAL '365' DAY
            )
          )
          THEN 1
          ELSE 0
        END AS BIGINT)
      ) AS "within",
      MAX(CAST(CASE WHEN "t14"."date" = "t14"."index_date" THEN 1 ELSE 0 END AS BIGINT)) AS "on_day",
      MAX(CAST(CASE WHEN "t14"."date" <= "t14"."index_date" THEN 1 ELSE 0 END AS BIGINT)) AS "until_index",
      MIN("t14"."date") FILTER(WHERE
        (
          "t14"."date" >= (
            "t14"."index_date" + INTERVAL '1' DAY
          )
        )
        AND (
          "t14"."date" <= (
            "t14"."index_date" + INTERVAL '365' DAY
          )
        )) AS "first_outcome"
    FROM (
      SELECT
        "t8"."outcome_id",
        "t8"."date",
        "t13"."person_id",
        "t13"."index_date"
      FROM (
        SELECT
          "t1"."person_id" AS "outcome_id",
          "t1"."condition_start_date" AS "date"
        FROM "cdm"."condition_occurrence" AS "t1"
        WHERE
          "t1"."condition_concept_id" IN (372924, 443454)
          AND "t1"."condition_start_date" IS NOT NULL
          AND "t1"."person_id" BETWEEN 1 AND 1000000
      ) AS "t8"
      INNER JOIN "t10" AS "t13"
        ON "t8"."outcome_id" = "t13"."person_id"
    ) AS "t14"
    GROUP BY
      1
  ) AS "t18"
    ON "t12"."person_id" = "t18"."outcome_id"
) AS "t21"
ORDER BY
  "t21"."person_id" ASC;

-- conditions before the index date
WITH "t10" AS (
  SELECT
    "t4"."person_id",
    MIN("t4"."date") AS "index_date"
  FROM (
    SELECT
      "t0"."person_id",
      "t0"."condition_start_date" AS "date"
    FROM "cdm"."condition_occurrence" AS "t0"
    WHERE
      "t0"."condition_concept_id" IN (313217, 4141360)
      AND "t0"."condition_start_date" IS NOT NULL
      AND "t0"."person_id" BETWEEN 1 AND 1000000
  ) AS "t4"
  GROUP BY
    1
)
SELECT
  *
FROM (
  SELECT
    "t22"."person_id",
    "t22"."concept_id"
  FROM (
    SELECT
      "t21"."person_id",
      "t21"."concept_id"
    FROM (
      SELECT
        "t7"."person_id",
        "t7"."concept_id",
        "t7"."date",
        "t20"."member",
        "t20"."index_date"
      FROM (
        SELECT
          "t0"."person_id",
          "t0"."condition_concept_id" AS "concept_id",
          "t0"."condition_start_date" AS "date"
        FROM "cdm"."condition_occurrence" AS "t0"
        WHERE
          "t0"."condition_concept_id" <> 0
          AND "t0"."condition_start_date" IS NOT NULL
          AND "t0"."person_id" BETWEEN 1 AND 1000000
      ) AS "t7"
      INNER JOIN (
        SELECT
          "t18"."raw_id" AS "member",
          "t18"."index_date"
        FROM (
          SELECT
            "t12"."person_id" AS "raw_id",
            "t12"."person_id",
            "t12"."index_date",
            "t8"."year_of_birth",
            "t8"."gender",
            CAST(CASE WHEN "t8"."known" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT) AS "in_person",
            CAST(CASE
              WHEN (
                (
                  EXTRACT(year FROM "t12"."index_date") - "t8"."year_of_birth"
                ) >= 0
              )
              AND (
                (
                  EXTRACT(year FROM "t12"."index_date") - "t8"."year_of_birth"
                ) <= 120
              )
              THEN 1
              ELSE 0
            END AS BIGINT) AS "of_age",
            COALESCE("t17"."observed", 0) AS "observed",
            COALESCE("t17"."observed_before", 0) AS "observed_before",
            COALESCE("t17"."observed_after", 0) AS "observed_after"
          FROM "t10" AS "t12"
          LEFT OUTER JOIN (
            SELECT
              "t1"."person_id" AS "known",
              "t1"."year_of_birth",
              "t1"."gender_concept_id" AS "gender"
            FROM "cdm"."person" AS "t1"
            WHERE
              "t1"."person_id" BETWEEN 1 AND 1000000
          ) AS "t8"
            ON "t12"."person_id" = "t8"."known"
          LEFT OUTER JOIN (
            SELECT
              "t15"."observed_id",
              MAX(CAST(CASE WHEN "t15"."start" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT)) AS "observed",
              MAX(
                CAST(CASE
                  WHEN "t15"."start" <= (
                    "t15"."index_date" - INTERVAL '365' DAY
                  )
                  THEN 1
                  ELSE 0
                END AS BIGINT)
              ) AS "observed_before",
              MAX(
                CAST(CASE
                  WHEN (
                    "t15"."start" <= (
                      "t15"."index_date" - INTERVAL '365' DAY
                    )
                  )
                  AND (
                    "t15"."end" >= (
                      "t15"."index_date" + INTERVAL '365' DAY
                    )
                  )
                  THEN 1
                  ELSE 0
                END AS BIGINT)
              ) AS "observed_after",
              MAX("t15"."end") FILTER(WHERE
                "t15"."start" <= (
                  "t15"."index_date" - INTERVAL '365' DAY
                )) AS "last_day",
              MIN("t15"."start") FILTER(WHERE
                "t15"."start" <= (
                  "t15"."index_date" - INTERVAL '365' DAY
                )) AS "first_day"
            FROM (
              SELECT
                *
              FROM (
                SELECT
                  "t9"."observed_id",
                  "t9"."start",
                  "t9"."end",
                  "t13"."person_id",
                  "t13"."index_date"
                FROM (
                  SELECT
                    "t2"."person_id" AS "observed_id",
                    "t2"."observation_period_start_date" AS "start",
                    "t2"."observation_period_end_date" AS "end"
                  FROM "cdm"."observation_period" AS "t2"
                  WHERE
                    "t2"."person_id" BETWEEN 1 AND 1000000
                ) AS "t9"
                INNER JOIN "t10" AS "t13"
                  ON "t9"."observed_id" = "t13"."person_id"
              ) AS "t14"
              WHERE
                "t14"."start" <= "t14"."index_date" AND "t14"."end" >= "t14"."index_date"
            ) AS "t15"
            GROUP BY
              1
          ) AS "t17"
            ON "t12"."person_id" = "t17"."observed_id"
        ) AS "t18"
        WHERE
          "t18"."in_person" = 1
          AND "t18"."of_age" = 1
          AND "t18"."observed" = 1
          AND "t18"."observed_before" = 1
          AND "t18"."observed_after" = 1
      ) AS "t20"
        ON "t7"."person_id" = "t20"."member"
    ) AS "t21"
    WHERE
      "t21"."date" < "t21"."index_date"
  ) AS "t22"
  GROUP BY
    1,
    2
) AS "t23"
ORDER BY
  "t23"."person_id" ASC,
  "t23"."concept_id" ASC;

-- drugs before the index date
WITH "t11" AS (
  SELECT
    "t6"."person_id",
    MIN("t6"."date") AS "index_date"
  FROM (
    SELECT
      "t2"."person_id",
      "t2"."condition_start_date" AS "date"
    FROM "cdm"."condition_occurrence" AS "t2"
    WHERE
      "t2"."condition_concept_id" IN (313217, 4141360)
      AND "t2"."condition_start_date" IS NOT NULL
      AND "t2"."person_id" BETWEEN 1 AND 1000000
  ) AS "t6"
  GROUP BY
    1
)
SELECT
  *
FROM (
  SELECT
    "t23"."person_id",
    "t23"."concept_id"
  FROM (
    SELECT
      "t22"."person_id",
      "t22"."concept_id"
    FROM (
      SELECT
        "t8"."person_id",
        "t8"."concept_id",
        "t8"."date",
        "t21"."member",
        "t21"."index_date"
      FROM (
        SELECT
          "t0"."person_id",
          "t0"."drug_concept_id" AS "concept_id",
          "t0"."drug_exposure_start_date" AS "date"
        FROM "cdm"."drug_exposure" AS "t0"
        WHERE
          "t0"."drug_concept_id" <> 0
          AND "t0"."drug_exposure_start_date" IS NOT NULL
          AND "t0"."person_id" BETWEEN 1 AND 1000000
      ) AS "t8"
      INNER JOIN (
        SELECT
          "t19"."raw_id" AS "member",
          "t19"."index_date"
        FROM (
          SELECT
            "t13"."person_id" AS "raw_id",
            "t13"."person_id",
            "t13"."index_date",
            "t9"."year_of_birth",
            "t9"."gender",
            CAST(CASE WHEN "t9"."known" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT) AS "in_person",
            CAST(CASE
              WHEN (
                (
                  EXTRACT(year FROM "t13"."index_date") - "t9"."year_of_birth"
                ) >= 0
              )
              AND (
                (
                  EXTRACT(year FROM "t13"."index_date") - "t9"."year_of_birth"
                ) <= 120
              )
              THEN 1
              ELSE 0
            END AS BIGINT) AS "of_age",
            COALESCE("t18"."observed", 0) AS "observed",
            COALESCE("t18"."observed_before", 0) AS "observed_before",
            COALESCE("t18"."observed_after", 0) AS "observed_after"
          FROM "t11" AS "t13"
          LEFT OUTER JOIN (
            SELECT
              "t1"."person_id" AS "known",
              "t1"."year_of_birth",
              "t1"."gender_concept_id" AS "gender"
            FROM "cdm"."person" AS "t1"
            WHERE
              "t1"."person_id" BETWEEN 1 AND 1000000
          ) AS "t9"
            ON "t13"."person_id" = "t9"."known"
          LEFT OUTER JOIN (
            SELECT
              "t16"."observed_id",
              MAX(CAST(CASE WHEN "t16"."start" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT)) AS "observed",
              MAX(
                CAST(CASE
                  WHEN "t16"."start" <= (
                    "t16"."index_date" - INTERVAL '365' DAY
                  )
                  THEN 1
                  ELSE 0
                END AS BIGINT)
              ) AS "observed_before",
              MAX(
                CAST(CASE
                  WHEN (
                    "t16"."start" <= (
                      "t16"."index_date" - INTERVAL '365' DAY
                    )
                  )
                  AND (
                    "t16"."end" >= (
                      "t16"."index_date" + INTERVAL '365' DAY
                    )
                  )
                  THEN 1
                  ELSE 0
                END AS BIGINT)
              ) AS "observed_after",
              MAX("t16"."end") FILTER(WHERE
                "t16"."start" <= (
                  "t16"."index_date" - INTERVAL '365' DAY
                )) AS "last_day",
              MIN("t16"."start") FILTER(WHERE
                "t16"."start" <= (
                  "t16"."index_date" - INTERVAL '365' DAY
                )) AS "first_day"
            FROM (
              SELECT
                *
              FROM (
                SELECT
                  "t10"."observed_id",
                  "t10"."start",
                  "t10"."end",
                  "t14"."person_id",
                  "t14"."index_date"
                FROM (
                  SELECT
                    "t3"."person_id" AS "observed_id",
                    "t3"."observation_period_start_date" AS "start",
                    "t3"."observation_period_end_date" AS "end"
                  FROM "cdm"."observation_period" AS "t3"
                  WHERE
                    "t3"."person_id" BETWEEN 1 AND 1000000
                ) AS "t10"
                INNER JOIN "t11" AS "t14"
                  ON "t10"."observed_id" = "t14"."person_id"
              ) AS "t15"
              WHERE
                "t15"."start" <= "t15"."index_date" AND "t15"."end" >= "t15"."index_date"
            ) AS "t16"
            GROUP BY
              1
          ) AS "t18"
            ON "t13"."person_id" = "t18"."observed_id"
        ) AS "t19"
        WHERE
          "t19"."in_person" = 1
          AND "t19"."of_age" = 1
          AND "t19"."observed" = 1
          AND "t19"."observed_before" = 1
          AND "t19"."observed_after" = 1
      ) AS "t21"
        ON "t8"."person_id" = "t21"."member"
    ) AS "t22"
    WHERE
      "t22"."date" < "t22"."index_date"
  ) AS "t23"
  GROUP BY
    1,
    2
) AS "t24"
ORDER BY
  "t24"."person_id" ASC,
  "t24"."concept_id" ASC;

-- names of concepts
SELECT
  *
FROM (
  SELECT
    "t1"."concept_id",
    "t1"."name"
  FROM (
    SELECT
      "t0"."concept_id",
      "t0"."concept_name" AS "name"
    FROM "cdm"."concept" AS "t0"
    WHERE
      "t0"."concept_id" IN (313217, 1112807)
  ) AS "t1"
  GROUP BY
    1,
    2
) AS "t2"
ORDER BY
  "t2"."concept_id" ASC;

-- records of groups
SELECT
  COALESCE(
    SUM(
      CAST(CASE WHEN "t1"."concept_id" IN (313217, 4141360) THEN 1 ELSE 0 END AS BIGINT)
    ),
    0
  ) AS "one",
  COALESCE(
    SUM(
      CAST(CASE WHEN "t1"."concept_id" IN (372924, 443454) THEN 1 ELSE 0 END AS BIGINT)
    ),
    0
  ) AS "two"
FROM (
  SELECT
    "t0"."person_id",
    "t0"."drug_concept_id" AS "concept_id",
    "t0"."drug_exposure_start_date" AS "date"
  FROM "cdm"."drug_exposure" AS "t0"
) AS "t1";

-- holes among conditions
SELECT
  COUNT(*) AS "total",
  COALESCE(SUM(CAST(CASE WHEN "t6"."known" IS NULL THEN 1 ELSE 0 END AS BIGINT)), 0) AS "without_person_records",
  COUNT(DISTINCT "t6"."person_id") FILTER(WHERE
    "t6"."known" IS NULL) AS "without_person_persons",
  COALESCE(
    SUM(
      CAST(CASE
        WHEN (
          "t6"."concept_id" IS NULL
        ) OR (
          "t6"."concept_id" = 0
        )
        THEN 1
        ELSE 0
      END AS BIGINT)
    ),
    0
  ) AS "without_concept_records",
  COUNT(DISTINCT "t6"."person_id") FILTER(WHERE
    (
      "t6"."concept_id" IS NULL
    ) OR (
      "t6"."concept_id" = 0
    )) AS "without_concept_persons",
  COALESCE(SUM(CAST(CASE WHEN "t6"."date" IS NULL THEN 1 ELSE 0 END AS BIGINT)), 0) AS "without_date_records",
  COUNT(DISTINCT "t6"."person_id") FILTER(WHERE
    "t6"."date" IS NULL) AS "without_date_persons"
FROM (
  SELECT
    "t4"."person_id",
    "t4"."concept_id",
    "t4"."date",
    "t5"."known"
  FROM (
    SELECT
      "t0"."person_id",
      "t0"."condition_concept_id" AS "concept_id",
      "t0"."condition_start_date" AS "date"
    FROM "cdm"."condition_occurrence" AS "t0"
  ) AS "t4"
  LEFT OUTER JOIN (
    SELECT
      "t1"."person_id" AS "known"
    FROM "cdm"."person" AS "t1"
  ) AS "t5"
    ON "t4"."person_id" = "t5"."known"
) AS "t6";

-- holes among observation periods
SELECT
  COUNT(*) AS "total",
  COALESCE(SUM(CAST(CASE WHEN "t6"."known" IS NULL THEN 1 ELSE 0 END AS BIGINT)), 0) AS "without_person_records",
  COUNT(DISTINCT "t6"."person_id") FILTER(WHERE
    "t6"."known" IS NULL) AS "without_person_persons",
  COALESCE(
    SUM(
      CAST(CASE WHEN (
        "t6"."start" IS NULL
      ) OR (
        "t6"."end" IS NULL
      ) THEN 1 ELSE 0 END AS BIGINT)
    ),
    0
  ) AS "without_date_records",
  COUNT(DISTINCT "t6"."person_id") FILTER(WHERE
    (
      "t6"."start" IS NULL
    ) OR (
      "t6"."end" IS NULL
    )) AS "without_date_persons",
  COALESCE(SUM(CAST(CASE WHEN "t6"."end" < "t6"."start" THEN 1 ELSE 0 END AS BIGINT)), 0) AS "reversed_records",
  COUNT(DISTINCT "t6"."person_id") FILTER(WHERE
    "t6"."end" < "t6"."start") AS "reversed_persons"
FROM (
  SELECT
    "t4"."person_id",
    "t4"."start",
    "t4"."end",
    "t5"."known"
  FROM (
    SELECT
      "t0"."person_id",
      "t0"."observation_period_start_date" AS "start",
      "t0"."observation_period_end_date" AS "end"
    FROM "cdm"."observation_period" AS "t0"
  ) AS "t4"
  LEFT OUTER JOIN (
    SELECT
      "t1"."person_id" AS "known"
    FROM "cdm"."person" AS "t1"
  ) AS "t5"
    ON "t4"."person_id" = "t5"."known"
) AS "t6";

-- holes among persons
WITH "t3" AS (
  SELECT
    "t1"."person_id",
    "t1"."observation_period_start_date" AS "start",
    "t1"."observation_period_end_date" AS "end"
  FROM "cdm"."observation_period" AS "t1"
)
SELECT
  COALESCE(SUM(CAST(CASE WHEN "t12"."year_of_birth" IS NULL THEN 1 ELSE 0 END AS BIGINT)), 0) AS "without_birth_records",
  COUNT(DISTINCT "t12"."person_id") FILTER(WHERE
    "t12"."year_of_birth" IS NULL) AS "without_birth_persons",
  COALESCE(
    SUM(
      CAST(CASE WHEN "t12"."year_of_birth" > EXTRACT(year FROM "t12"."last") THEN 1 ELSE 0 END AS BIGINT)
    ),
    0
  ) AS "unborn_records",
  COUNT(DISTINCT "t12"."person_id") FILTER(WHERE
    "t12"."year_of_birth" > EXTRACT(year FROM "t12"."last")) AS "unborn_persons"
FROM (
  SELECT
    "t11"."person_id",
    "t11"."gender_concept_id",
    "t11"."year_of_birth",
    "t11"."end_of_all",
    "t11"."observed",
    COALESCE("t11"."last", "t11"."end_of_all") AS "last"
  FROM (
    SELECT
      "t4"."person_id",
      "t4"."gender_concept_id",
      "t4"."year_of_birth",
      "t8"."end_of_all",
      "t10"."observed",
      "t10"."last"
    FROM (
      SELECT
        *
      FROM "cdm"."person" AS "t0"
    ) AS "t4"
    CROSS JOIN (
      SELECT
        MAX("t5"."end") AS "end_of_all"
      FROM "t3" AS "t5"
    ) AS "t8"
    LEFT OUTER JOIN (
      SELECT
        "t7"."person_id" AS "observed",
        "t7"."last"
      FROM (
        SELECT
          "t5"."person_id",
          MAX("t5"."end") AS "last"
        FROM "t3" AS "t5"
        GROUP BY
          1
      ) AS "t7"
    ) AS "t10"
      ON "t4"."person_id" = "t10"."observed"
  ) AS "t11"
) AS "t12";

-- persons by every criterion, with two outcomes
WITH "t22" AS (
  SELECT
    "t21"."person_id",
    MIN("t21"."date") AS "index_date"
  FROM (
    SELECT
      *
    FROM (
      SELECT
        "t14"."person_id",
        "t14"."date",
        "t12"."observed_id",
        "t12"."start",
        "t12"."end"
      FROM (
        SELECT
          "t0"."subject_id" AS "person_id",
          "t0"."cohort_start_date" AS "date"
        FROM "cdm"."cohort" AS "t0"
        WHERE
          "t0"."cohort_definition_id" = 7
          AND "t0"."cohort_start_date" IS NOT NULL
          AND "t0"."subject_id" BETWEEN 1 AND 1000000
      ) AS "t14"
      INNER JOIN (
        SELECT
          "t3"."person_id" AS "observed_id",
          "t3"."observation_period_start_date" AS "start",
          "t3"."observation_period_end_date" AS "end"
        FROM "cdm"."observation_period" AS "t3"
      ) AS "t12"
        ON "t14"."person_id" = "t12"."observed_id"
    ) AS "t20"
    WHERE
      "t20"."start" <= (
        "t20"."date" - INTERVAL '365' DAY
      )
      AND "t20"."end" >= "t20"."date"
  ) AS "t21"
  GROUP BY
    1
), "t42" AS (
  SELECT
    "t32"."observed_id",
    MAX(CAST(CASE WHEN "t32"."start" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT)) AS "observed",
    MAX(
      CAST(CASE
        WHEN "t32"."start" <= (
          "t32"."index_date" - INTERVAL '365' DAY
        )
        THEN 1
        ELSE 0
      END AS BIGINT)
    ) AS "observed_before",
    MAX(
      CAST(CASE
        WHEN (
          "t32"."start" <= (
            "t32"."index_date" - INTERVAL '365' DAY
          )
        )
        AND (
          "t32"."end" >= (
            "t32"."index_date" + INTERVAL '365' DAY
          )
        )
        THEN 1
        ELSE 0
      END AS BIGINT)
    ) AS "observed_after",
    MAX("t32"."end") FILTER(WHERE
      "t32"."start" <= (
        "t32"."index_date" - INTERVAL '365' DAY
      )) AS "last_day",
    MIN("t32"."start") FILTER(WHERE
      "t32"."start" <= (
        "t32"."index_date" - INTERVAL '365' DAY
      )) AS "first_day"
  FROM (
    SELECT
      *
    FROM (
      SELECT
        "t19"."observed_id",
        "t19"."start",
        "t19"."end",
        "t24"."person_id",
        "t24"."index_date"
      FROM (
        SELECT
          "t3"."person_id" AS "observed_id",
          "t3"."observation_period_start_date" AS "start",
          "t3"."observation_period_end_date" AS "end"
        FROM "cdm"."observation_period" AS "t3"
        WHERE
          "t3"."person_id" BETWEEN 1 AND 1000000
      ) AS "t19"
      INNER JOIN "t22" AS "t24"
        ON "t19"."observed_id" = "t24"."person_id"
    ) AS "t30"
    WHERE
      "t30"."start" <= "t30"."index_date" AND "t30"."end" >= "t30"."index_date"
  ) AS "t32"
  GROUP BY
    1
)
SELECT
  "t64"."person_id",
  "t64"."index_date",
  "t64"."year_of_birth",
  "t64"."gender",
  "t64"."in_person",
  "t64"."of_age",
  "t64"."observed",
  "t64"."observed_before",
  "t64"."observed_after",
  "t64"."included_age",
  "t64"."included_sex",
  "t64"."included_year",
  "t64"."prior_1",
  "t64"."no_prior_1",
  "t64"."outcome",
  "t64"."on_index_date",
  "t64"."outcome_before_leaving",
  "t64"."outcome_1"
FROM (
  SELECT
    "t63".*
    EXCLUDE ("within_1")
  FROM (
    SELECT
      "t62"."raw_id",
      "t62"."person_id",
      "t62"."index_date",
      "t62"."year_of_birth",
      "t62"."gender",
      "t62"."in_person",
      "t62"."of_age",
      "t62"."observed",
      "t62"."observed_before",
      "t62"."observed_after",
      "t62"."included_age",
      "t62"."included_sex",
      "t62"."included_year",
      "t62"."prior_1",
      "t62"."no_prior_1",
      "t62"."outcome",
      "t62"."on_index_date",
      "t62"."outcome_before_leaving",
      "t62"."within_1",
      COALESCE("t62"."within_1", 0) AS "outcome_1"
    FROM (
      SELECT
        "t61".*
        EXCLUDE ("outcome_id")
      FROM (
        SELECT
          "t60"."raw_id",
          "t60"."person_id",
          "t60"."index_date",
          "t60"."year_of_birth",
          "t60"."gender",
          "t60"."in_person",
          "t60"."of_age",
          "t60"."observed",
          "t60"."observed_before",
          "t60"."observed_after",
          "t60"."included_age",
          "t60"."included_sex",
          "t60"."included_year",
          "t60"."prior_1",
          "t60"."no_prior_1",
          COALESCE("t39"."within", 0) AS "outcome",
          COALESCE("t39"."on_day", 0) AS "on_index_date",
          CAST(CASE WHEN "t39"."first_outcome" <= "t60"."last_day" THEN 1 ELSE 0 END AS BIGINT) AS "outcome_before_leaving",
          "t41"."outcome_id",
          "t41"."within_1"
        FROM (
          SELECT
            "t58".*
            EXCLUDE ("n_records")
          FROM (
            SELECT
              "t57"."raw_id",
              "t57"."person_id",
              "t57"."index_date",
              "t57"."year_of_birth",
              "t57"."gender",
              "t57"."in_person",
              "t57"."of_age",
              "t57"."observed",
              "t57"."observed_before",
              "t57"."observed_after",
              "t57"."included_age",
              "t57"."included_sex",
              "t57"."included_year",
              "t57"."last_day",
              "t57"."prior_1",
              "t57"."n_records",
              CAST(CASE WHEN NOT (
                COALESCE("t57"."n_records", 0) >= 1
              ) THEN 1 ELSE 0 END AS BIGINT) AS "no_prior_1"
            FROM (
              SELECT
                "t56".*
                EXCLUDE ("counted_id")
              FROM (
                SELECT
                  "t54"."raw_id",
                  "t54"."person_id",
                  "t54"."index_date",
                  "t54"."year_of_birth",
                  "t54"."gender",
                  "t54"."in_person",
                  "t54"."of_age",
                  "t54"."observed",
                  "t54"."observed_before",
                  "t54"."observed_after",
                  "t54"."included_age",
                  "t54"."included_sex",
                  "t54"."included_year",
                  "t54"."last_day",
                  "t54"."prior_1",
                  "t55"."counted_id",
                  "t55"."n_records"
                FROM (
                  SELECT
                    "t51".*
                    EXCLUDE ("n_records")
                  FROM (
                    SELECT
                      "t48"."raw_id",
                      "t48"."person_id",
                      "t48"."index_date",
                      "t48"."year_of_birth",
                      "t48"."gender",
                      "t48"."in_person",
                      "t48"."of_age",
                      "t48"."observed",
                      "t48"."observed_before",
                      "t48"."observed_after",
                      "t48"."included_age",
                      "t48"."included_sex",
                      "t48"."included_year",
                      "t48"."last_day",
                      "t48"."n_records",
                      CAST(CASE WHEN COALESCE("t48"."n_records", 0) >= 2 THEN 1 ELSE 0 END AS BIGINT) AS "prior_1"
                    FROM (
                      SELECT
                        "t47".*
                        EXCLUDE ("counted_id")
                      FROM (
                        SELECT
                          "t25"."person_id" AS "raw_id",
                          "t25"."person_id",
                          "t25"."index_date",
                          "t18"."year_of_birth",
                          "t18"."gender",
                          CAST(CASE WHEN "t18"."known" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT) AS "in_person",
                          CAST(CASE
                            WHEN (
                              (
                                EXTRACT(year FROM "t25"."index_date") - "t18"."year_of_birth"
                              ) >= 0
                            )
                            AND (
                              (
                                EXTRACT(year FROM "t25"."index_date") - "t18"."year_of_birth"
                              ) <= 120
                            )
                            THEN 1
                            ELSE 0
                          END AS BIGINT) AS "of_age",
                          COALESCE("t44"."observed", 0) AS "observed",
                          COALESCE("t44"."observed_before", 0) AS "observed_before",
                          COALESCE("t44"."observed_after", 0) AS "observed_after",
                          CAST(CASE
                            WHEN (
                              EXTRACT(year FROM "t25"."index_date") - "t18"."year_of_birth"
                            ) >= 18
                            THEN 1
                            ELSE 0
                          END AS BIGINT) AS "included_age",
                          CAST(CASE WHEN COALESCE("t18"."gender", 0) IN (8532) THEN 1 ELSE 0 END AS BIGINT) AS "included_sex",
                          CAST(CASE
                            WHEN EXTRACT(year FROM "t25"."index_date") BETWEEN 2010 AND 2020
                            THEN 1
                            ELSE 0
                          END AS BIGINT) AS "included_year",
                          "t44"."last_day",
                          "t38"."counted_id",
                          "t38"."n_records"
                        FROM "t22" AS "t25"
                        LEFT OUTER JOIN (
                          SELECT
                            "t2"."person_id" AS "known",
                            "t2"."year_of_birth",
                            "t2"."gender_concept_id" AS "gender"
                          FROM "cdm"."person" AS "t2"
                          WHERE
                            "t2"."person_id" BETWEEN 1 AND 1000000
                        ) AS "t18"
                          ON "t25"."person_id" = "t18"."known"
                        LEFT OUTER JOIN "t42" AS "t44"
                          ON "t25"."person_id" = "t44"."observed_id"
                        LEFT OUTER JOIN (
                          SELECT
                            "t34"."counted_id",
                            COUNT("t34"."date") AS "n_records"
                          FROM (
                            SELECT
                              *
                            FROM (
                              SELECT
                                "t17"."counted_id",
                                "t17"."date",
                                "t24"."person_id",
                                "t24"."index_date"
                              FROM (
                                SELECT
                                  "t1"."person_id" AS "counted_id",
                                  "t1"."drug_exposure_start_date" AS "date"
                                FROM "cdm"."drug_exposure" AS "t1"
                                WHERE
                                  "t1"."drug_concept_id" IN (2)
                                  AND "t1"."drug_exposure_start_date" IS NOT NULL
                                  AND "t1"."person_id" BETWEEN 1 AND 1000000
                              ) AS "t17"
                              INNER JOIN "t22" AS "t24"
                                ON "t17"."counted_id" = "t24"."person_id"
                            ) AS "t29"
                            WHERE
                              "t29"."date" <= "t29"."index_date"
                              AND "t29"."date" >= (
                                "t29"."index_date" - INTERVAL '30' DAY
                              )
                          ) AS "t34"
                          GROUP BY
                            1
                        ) AS "t38"
                          ON "t25"."person_id" = "t38"."counted_id"
                      ) AS "t47"
                    ) AS "t48"
                  ) AS "t51"
                ) AS "t54"
                LEFT OUTER JOIN (
                  SELECT
                    "t50"."counted_id",
                    COUNT("t50"."date") AS "n_records"
                  FROM (
                    SELECT
                      *
                    FROM (
                      SELECT
                        "t33"."counted_id",
                        "t33"."date",
                        "t33"."index_date",
                        "t46"."observed_id",
                        "t46"."first_day"
                      FROM (
                        SELECT
                          "t28"."counted_id",
                          "t28"."date",
                          "t28"."index_date"
                        FROM (
                          SELECT
                            "t16"."counted_id",
                            "t16"."date",
                            "t24"."person_id",
                            "t24"."index_date"
                          FROM (
                            SELECT
                              "t1"."person_id" AS "counted_id",
                              "t1"."drug_exposure_start_date" AS "date"
                            FROM "cdm"."drug_exposure" AS "t1"
                            WHERE
                              "t1"."drug_concept_id" IN (3)
                              AND "t1"."drug_exposure_start_date" IS NOT NULL
                              AND "t1"."person_id" BETWEEN 1 AND 1000000
                          ) AS "t16"
                          INNER JOIN "t22" AS "t24"
                            ON "t16"."counted_id" = "t24"."person_id"
                        ) AS "t28"
                        WHERE
                          "t28"."date" < "t28"."index_date"
                      ) AS "t33"
                      INNER JOIN (
                        SELECT
                          "t43"."observed_id",
                          "t43"."first_day"
                        FROM "t42" AS "t43"
                      ) AS "t46"
                        ON "t33"."counted_id" = "t46"."observed_id"
                    ) AS "t49"
                    WHERE
                      "t49"."date" >= "t49"."first_day"
                  ) AS "t50"
                  GROUP BY
                    1
                ) AS "t55"
                  ON "t54"."raw_id" = "t55"."counted_id"
              ) AS "t56"
            ) AS "t57"
          ) AS "t58"
        ) AS "t60"
        LEFT OUTER JOIN (
          SELECT
            "t26"."outcome_id",
            MAX(
              CAST(CASE
                WHEN (
                  "t26"."date" >= (
                    "t26"."index_date" + INTERVAL '1' DAY
                  )
                )
                AND (
                  "t26"."date" <= (
                    "t26"."index_date" + INTERVAL '365' DAY
                  )
                )
                THEN 1
                ELSE 0
              END AS BIGINT)
            ) AS "within",
            MAX(CAST(CASE WHEN "t26"."date" = "t26"."index_date" THEN 1 ELSE 0 END AS BIGINT)) AS "on_day",
            MAX(CAST(CASE WHEN "t26"."date" <= "t26"."index_date" THEN 1 ELSE 0 END AS BIGINT)) AS "until_index",
            MIN("t26"."date") FILTER(WHERE
              (
                "t26"."date" >= (
                  "t26"."index_date" + INTERVAL '1' DAY
                )
              )
              AND (
                "t26"."date" <= (
                  "t26"."index_date" + INTERVAL '365' DAY
                )
              )) AS "first_outcome"
          FROM (
            SELECT
              "t13"."outcome_id",
              "t13"."date",
              "t24"."person_id",
              "t24"."index_date"
            FROM (
              SELECT
                "t0"."subject_id" AS "outcome_id",
                "t0"."cohort_start_date" AS "date"
              FROM "cdm"."cohort" AS "t0"
              WHERE
                "t0"."cohort_definition_id" = 8
                AND "t0"."cohort_start_date" IS NOT NULL
                AND "t0"."subject_id" BETWEEN 1 AND 1000000
            ) AS "t13"
            INNER JOIN "t22" AS "t24"
              ON "t13"."outcome_id" = "t24"."person_id"
          ) AS "t26"
          GROUP BY
            1
        ) AS "t39"
          ON "t60"."raw_id" = "t39"."outcome_id"
        LEFT OUTER JOIN (
          SELECT
            "t37"."outcome_id",
            "t37"."within" AS "within_1"
          FROM (
            SELECT
              "t27"."outcome_id",
              MAX(
                CAST(CASE
                  WHEN (
                    "t27"."date" >= (
                      "t27"."index_date" + INTERVAL '1' DAY
                    )
                  )
                  AND (
                    "t27"."date" <= (
                      "t27"."index_date" + INTERVAL '365' DAY
                    )
                  )
                  THEN 1
                  ELSE 0
                END AS BIGINT)
              ) AS "within",
              MAX(CAST(CASE WHEN "t27"."date" = "t27"."index_date" THEN 1 ELSE 0 END AS BIGINT)) AS "on_day",
              MAX(CAST(CASE WHEN "t27"."date" <= "t27"."index_date" THEN 1 ELSE 0 END AS BIGINT)) AS "until_index",
              MIN("t27"."date") FILTER(WHERE
                (
                  "t27"."date" >= (
                    "t27"."index_date" + INTERVAL '1' DAY
                  )
                )
                AND (
                  "t27"."date" <= (
                    "t27"."index_date" + INTERVAL '365' DAY
                  )
                )) AS "first_outcome"
            FROM (
              SELECT
                "t15"."outcome_id",
                "t15"."date",
                "t24"."person_id",
                "t24"."index_date"
              FROM (
                SELECT
                  "t1"."person_id" AS "outcome_id",
                  "t1"."drug_exposure_start_date" AS "date"
                FROM "cdm"."drug_exposure" AS "t1"
                WHERE
                  "t1"."drug_concept_id" IN (1)
                  AND "t1"."drug_exposure_start_date" IS NOT NULL
                  AND "t1"."person_id" BETWEEN 1 AND 1000000
              ) AS "t15"
              INNER JOIN "t22" AS "t24"
                ON "t15"."outcome_id" = "t24"."person_id"
            ) AS "t27"
            GROUP BY
              1
          ) AS "t37"
        ) AS "t41"
          ON "t60"."raw_id" = "t41"."outcome_id"
      ) AS "t61"
    ) AS "t62"
  ) AS "t63"
) AS "t64"
ORDER BY
  "t64"."person_id" ASC;

-- ingredients, and how often
WITH "t18" AS (
  SELECT
    "t11"."person_id",
    MIN("t11"."date") AS "index_date"
  FROM (
    SELECT
      "t4"."person_id",
      "t4"."condition_start_date" AS "date"
    FROM "cdm"."condition_occurrence" AS "t4"
    WHERE
      "t4"."condition_concept_id" IN (313217, 4141360)
      AND "t4"."condition_start_date" IS NOT NULL
      AND "t4"."person_id" BETWEEN 1 AND 1000000
  ) AS "t11"
  GROUP BY
    1
)
SELECT
  *
FROM (
  SELECT
    "t37"."person_id",
    "t37"."concept_id",
    CAST(COUNT("t37"."concept_id") AS DOUBLE) AS "value"
  FROM (
    SELECT
      "t36"."person_id",
      "t36"."concept_id"
    FROM (
      SELECT
        "t35"."person_id",
        "t27"."above" AS "concept_id",
        "t35"."date"
      FROM (
        SELECT
          *
        FROM (
          SELECT
            "t13"."person_id",
            "t13"."concept_id",
            "t13"."date",
            "t32"."member",
            "t32"."index_date"
          FROM (
            SELECT
              "t0"."person_id",
              "t0"."drug_concept_id" AS "concept_id",
              "t0"."drug_exposure_start_date" AS "date"
            FROM "cdm"."drug_exposure" AS "t0"
            WHERE
              "t0"."drug_concept_id" <> 0
              AND "t0"."drug_exposure_start_date" IS NOT NULL
              AND "t0"."person_id" BETWEEN 1 AND 1000000
          ) AS "t13"
          INNER JOIN (
            SELECT
              "t30"."raw_id" AS "member",
              "t30"."index_date"
            FROM (
              SELECT
                "t20"."person_id" AS "raw_id",
                "t20"."person_id",
                "t20"."index_date",
                "t14"."year_of_birth",
                "t14"."gender",
                CAST(CASE WHEN "t14"."known" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT) AS "in_person",
                CAST(CASE
                  WHEN (
                    (
                      EXTRACT(year FROM "t20"."index_date") - "t14"."year_of_birth"
                    ) >= 0
                  )
                  AND (
                    (
                      EXTRACT(year FROM "t20"."index_date") - "t14"."year_of_birth"
                    ) <= 120
                  )
                  THEN 1
                  ELSE 0
                END AS BIGINT) AS "of_age",
                COALESCE("t29"."observed", 0) AS "observed",
                COALESCE("t29"."observed_before", 0) AS "observed_before",
                COALESCE("t29"."observed_after", 0) AS "observed_after"
              FROM "t18" AS "t20"
              LEFT OUTER JOIN (
                SELECT
                  "t3"."person_id" AS "known",
                  "t3"."year_of_birth",
                  "t3"."gender_concept_id" AS "gender"
                FROM "cdm"."person" AS "t3"
                WHERE
                  "t3"."person_id" BETWEEN 1 AND 1000000
              ) AS "t14"
                ON "t20"."person_id" = "t14"."known"
              LEFT OUTER JOIN (
                SELECT
                  "t26"."observed_id",
                  MAX(CAST(CASE WHEN "t26"."start" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT)) AS "observed",
                  MAX(
                    CAST(CASE
                      WHEN "t26"."start" <= (
                        "t26"."index_date" - INTERVAL '365' DAY
                      )
                      THEN 1
                      ELSE 0
                    END AS BIGINT)
                  ) AS "observed_before",
                  MAX(
                    CAST(CASE
                      WHEN (
                        "t26"."start" <= (
                          "t26"."index_date" - INTERVAL '365' DAY
                        )
                      )
                      AND (
                        "t26"."end" >= (
                          "t26"."index_date" + INTERVAL '365' DAY
                        )
                      )
                      THEN 1
                      ELSE 0
                    END AS BIGINT)
                  ) AS "observed_after",
                  MAX("t26"."end") FILTER(WHERE
                    "t26"."start" <= (
                      "t26"."index_date" - INTERVAL '365' DAY
                    )) AS "last_day",
                  MIN("t26"."start") FILTER(WHERE
                    "t26"."start" <= (
                      "t26"."index_date" - INTERVAL '365' DAY
                    )) AS "first_day"
                FROM (
                  SELECT
                    *
                  FROM (
                    SELECT
                      "t15"."observed_id",
                      "t15"."start",
                      "t15"."end",
                      "t21"."person_id",
                      "t21"."index_date"
                    FROM (
                      SELECT
                        "t5"."person_id" AS "observed_id",
                        "t5"."observation_period_start_date" AS "start",
                        "t5"."observation_period_end_date" AS "end"
                      FROM "cdm"."observation_period" AS "t5"
                      WHERE
                        "t5"."person_id" BETWEEN 1 AND 1000000
                    ) AS "t15"
                    INNER JOIN "t18" AS "t21"
                      ON "t15"."observed_id" = "t21"."person_id"
                  ) AS "t23"
                  WHERE
                    "t23"."start" <= "t23"."index_date" AND "t23"."end" >= "t23"."index_date"
                ) AS "t26"
                GROUP BY
                  1
              ) AS "t29"
                ON "t20"."person_id" = "t29"."observed_id"
            ) AS "t30"
            WHERE
              "t30"."in_person" = 1
              AND "t30"."of_age" = 1
              AND "t30"."observed" = 1
              AND "t30"."observed_before" = 1
              AND "t30"."observed_after" = 1
          ) AS "t32"
            ON "t13"."person_id" = "t32"."member"
        ) AS "t33"
        WHERE
          "t33"."date" < "t33"."index_date"
          AND "t33"."date" >= (
            "t33"."index_date" - INTERVAL '365' DAY
          )
      ) AS "t35"
      INNER JOIN (
        SELECT
          "t24"."above",
          "t24"."below"
        FROM (
          SELECT
            *
          FROM (
            SELECT
              "t17"."wanted" AS "above",
              "t8"."descendant_concept_id" AS "below"
            FROM (
              SELECT
                *
              FROM "cdm"."concept_ancestor" AS "t1"
            ) AS "t8"
            INNER JOIN (
              SELECT
                "t9"."wanted"
              FROM (
                SELECT
                  "t2"."concept_id" AS "wanted"
                FROM "cdm"."concept" AS "t2"
                WHERE
                  "t2"."concept_class_id" = 'Ingredient' AND "t2"."standard_concept" = 'S'
              ) AS "t9"
              GROUP BY
                1
            ) AS "t17"
              ON "t8"."ancestor_concept_id" = "t17"."wanted"
          ) AS "t22"
          WHERE
            "t22"."above" <> 0
        ) AS "t24"
        GROUP BY
          1,
          2
      ) AS "t27"
        ON "t35"."concept_id" = "t27"."below"
    ) AS "t36"
  ) AS "t37"
  GROUP BY
    1,
    2
) AS "t38"
WHERE
  "t38"."value" >= 1
ORDER BY
  "t38"."person_id" ASC,
  "t38"."concept_id" ASC;

-- ancestors at a level
WITH "t15" AS (
  SELECT
    "t6"."person_id",
    MIN("t6"."date") AS "index_date"
  FROM (
    SELECT
      "t0"."person_id",
      "t0"."condition_start_date" AS "date"
    FROM "cdm"."condition_occurrence" AS "t0"
    WHERE
      "t0"."condition_concept_id" IN (313217, 4141360)
      AND "t0"."condition_start_date" IS NOT NULL
      AND "t0"."person_id" BETWEEN 1 AND 1000000
  ) AS "t6"
  GROUP BY
    1
)
SELECT
  *
FROM (
  SELECT
    "t35"."person_id",
    "t35"."concept_id"
  FROM (
    SELECT
      "t34"."person_id",
      "t34"."concept_id"
    FROM (
      SELECT
        "t33"."person_id",
        "t25"."above" AS "concept_id",
        "t33"."date"
      FROM (
        SELECT
          *
        FROM (
          SELECT
            "t11"."person_id",
            "t11"."concept_id",
            "t11"."date",
            "t30"."member",
            "t30"."index_date"
          FROM (
            SELECT
              "t0"."person_id",
              "t0"."condition_concept_id" AS "concept_id",
              "t0"."condition_start_date" AS "date"
            FROM "cdm"."condition_occurrence" AS "t0"
            WHERE
              "t0"."condition_concept_id" <> 0
              AND "t0"."condition_start_date" IS NOT NULL
              AND "t0"."person_id" BETWEEN 1 AND 1000000
          ) AS "t11"
          INNER JOIN (
            SELECT
              "t28"."raw_id" AS "member",
              "t28"."index_date"
            FROM (
              SELECT
                "t18"."person_id" AS "raw_id",
                "t18"."person_id",
                "t18"."index_date",
                "t12"."year_of_birth",
                "t12"."gender",
                CAST(CASE WHEN "t12"."known" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT) AS "in_person",
                CAST(CASE
                  WHEN (
                    (
                      EXTRACT(year FROM "t18"."index_date") - "t12"."year_of_birth"
                    ) >= 0
                  )
                  AND (
                    (
                      EXTRACT(year FROM "t18"."index_date") - "t12"."year_of_birth"
                    ) <= 120
                  )
                  THEN 1
                  ELSE 0
                END AS BIGINT) AS "of_age",
                COALESCE("t27"."observed", 0) AS "observed",
                COALESCE("t27"."observed_before", 0) AS "observed_before",
                COALESCE("t27"."observed_after", 0) AS "observed_after"
              FROM "t15" AS "t18"
              LEFT OUTER JOIN (
                SELECT
                  "t2"."person_id" AS "known",
                  "t2"."year_of_birth",
                  "t2"."gender_concept_id" AS "gender"
                FROM "cdm"."person" AS "t2"
                WHERE
                  "t2"."person_id" BETWEEN 1 AND 1000000
              ) AS "t12"
                ON "t18"."person_id" = "t12"."known"
              LEFT OUTER JOIN (
                SELECT
                  "t23"."observed_id",
                  MAX(CAST(CASE WHEN "t23"."start" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT)) AS "observed",
                  MAX(
                    CAST(CASE
                      WHEN "t23"."start" <= (
                        "t23"."index_date" - INTERVAL '365' DAY
                      )
                      THEN 1
                      ELSE 0
                    END AS BIGINT)
                  ) AS "observed_before",
                  MAX(
                    CAST(CASE
                      WHEN (
                        "t23"."start" <= (
                          "t23"."index_date" - INTERVAL '365' DAY
                        )
                      )
                      AND (
                        "t23"."end" >= (
                          "t23"."index_date" + INTERVAL '365' DAY
                        )
                      )
                      THEN 1
                      ELSE 0
                    END AS BIGINT)
                  ) AS "observed_after",
                  MAX("t23"."end") FILTER(WHERE
                    "t23"."start" <= (
                      "t23"."index_date" - INTERVAL '365' DAY
                    )) AS "last_day",
                  MIN("t23"."start") FILTER(WHERE
                    "t23"."start" <= (
                      "t23"."index_date" - INTERVAL '365' DAY
                    )) AS "first_day"
                FROM (
                  SELECT
                    *
                  FROM (
                    SELECT
                      "t13"."observed_id",
                      "t13"."start",
                      "t13"."end",
                      "t19"."person_id",
                      "t19"."index_date"
                    FROM (
                      SELECT
                        "t3"."person_id" AS "observed_id",
                        "t3"."observation_period_start_date" AS "start",
                        "t3"."observation_period_end_date" AS "end"
                      FROM "cdm"."observation_period" AS "t3"
                      WHERE
                        "t3"."person_id" BETWEEN 1 AND 1000000
                    ) AS "t13"
                    INNER JOIN "t15" AS "t19"
                      ON "t13"."observed_id" = "t19"."person_id"
                  ) AS "t21"
                  WHERE
                    "t21"."start" <= "t21"."index_date" AND "t21"."end" >= "t21"."index_date"
                ) AS "t23"
                GROUP BY
                  1
              ) AS "t27"
                ON "t18"."person_id" = "t27"."observed_id"
            ) AS "t28"
            WHERE
              "t28"."in_person" = 1
              AND "t28"."of_age" = 1
              AND "t28"."observed" = 1
              AND "t28"."observed_before" = 1
              AND "t28"."observed_after" = 1
          ) AS "t30"
            ON "t11"."person_id" = "t30"."member"
        ) AS "t31"
        WHERE
          "t31"."date" < "t31"."index_date"
      ) AS "t33"
      INNER JOIN (
        SELECT
          "t22"."above",
          "t22"."below"
        FROM (
          SELECT
            *
          FROM (
            SELECT
              "t16"."wanted" AS "above",
              "t7"."descendant_concept_id" AS "below"
            FROM (
              SELECT
                *
              FROM "cdm"."concept_ancestor" AS "t1"
            ) AS "t7"
            INNER JOIN (
              SELECT
                "t8"."wanted"
              FROM (
                SELECT
                  "t1"."descendant_concept_id" AS "wanted"
                FROM "cdm"."concept_ancestor" AS "t1"
                WHERE
                  "t1"."ancestor_concept_id" = 441840 AND "t1"."min_levels_of_separation" = 3
              ) AS "t8"
              GROUP BY
                1
            ) AS "t16"
              ON "t7"."ancestor_concept_id" = "t16"."wanted"
          ) AS "t20"
          WHERE
            "t20"."above" <> 0
        ) AS "t22"
        GROUP BY
          1,
          2
      ) AS "t25"
        ON "t33"."concept_id" = "t25"."below"
    ) AS "t34"
  ) AS "t35"
  GROUP BY
    1,
    2
) AS "t36"
ORDER BY
  "t36"."person_id" ASC,
  "t36"."concept_id" ASC;

-- last values
WITH "t11" AS (
  SELECT
    "t5"."person_id",
    MIN("t5"."date") AS "index_date"
  FROM (
    SELECT
      "t2"."person_id",
      "t2"."condition_start_date" AS "date"
    FROM "cdm"."condition_occurrence" AS "t2"
    WHERE
      "t2"."condition_concept_id" IN (313217, 4141360)
      AND "t2"."condition_start_date" IS NOT NULL
      AND "t2"."person_id" BETWEEN 1 AND 1000000
  ) AS "t5"
  GROUP BY
    1
), "t23" AS (
  SELECT
    *
  FROM (
    SELECT
      "t10"."person_id",
      "t10"."concept_id",
      "t10"."date",
      "t10"."unit",
      "t10"."value",
      "t21"."member",
      "t21"."index_date"
    FROM (
      SELECT
        "t0"."person_id",
        "t0"."measurement_concept_id" AS "concept_id",
        "t0"."measurement_date" AS "date",
        GREATEST(COALESCE("t0"."unit_concept_id", 0), 0) AS "unit",
        "t0"."value_as_number" AS "value"
      FROM "cdm"."measurement" AS "t0"
      WHERE
        "t0"."measurement_concept_id" <> 0
        AND "t0"."measurement_date" IS NOT NULL
        AND "t0"."value_as_number" BETWEEN -1E+300 AND 1e+300
        AND "t0"."person_id" BETWEEN 1 AND 1000000
    ) AS "t10"
    INNER JOIN (
      SELECT
        "t19"."raw_id" AS "member",
        "t19"."index_date"
      FROM (
        SELECT
          "t13"."person_id" AS "raw_id",
          "t13"."person_id",
          "t13"."index_date",
          "t8"."year_of_birth",
          "t8"."gender",
          CAST(CASE WHEN "t8"."known" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT) AS "in_person",
          CAST(CASE
            WHEN (
              (
                EXTRACT(year FROM "t13"."index_date") - "t8"."year_of_birth"
              ) >= 0
            )
            AND (
              (
                EXTRACT(year FROM "t13"."index_date") - "t8"."year_of_birth"
              ) <= 120
            )
            THEN 1
            ELSE 0
          END AS BIGINT) AS "of_age",
          COALESCE("t18"."observed", 0) AS "observed",
          COALESCE("t18"."observed_before", 0) AS "observed_before",
          COALESCE("t18"."observed_after", 0) AS "observed_after"
        FROM "t11" AS "t13"
        LEFT OUTER JOIN (
          SELECT
            "t1"."person_id" AS "known",
            "t1"."year_of_birth",
            "t1"."gender_concept_id" AS "gender"
          FROM "cdm"."person" AS "t1"
          WHERE
            "t1"."person_id" BETWEEN 1 AND 1000000
        ) AS "t8"
          ON "t13"."person_id" = "t8"."known"
        LEFT OUTER JOIN (
          SELECT
            "t16"."observed_id",
            MAX(CAST(CASE WHEN "t16"."start" IS NOT NULL THEN 1 ELSE 0 END AS BIGINT)) AS "observed",
            MAX(
              CAST(CASE
                WHEN "t16"."start" <= (
                  "t16"."index_date" - INTERVAL '365' DAY
                )
                THEN 1
                ELSE 0
              END AS BIGINT)
            ) AS "observed_before",
            MAX(
              CAST(CASE
                WHEN (
                  "t16"."start" <= (
                    "t16"."index_date" - INTERVAL '365' DAY
                  )
                )
                AND (
                  "t16"."end" >= (
                    "t16"."index_date" + INTERVAL '365' DAY
                  )
                )
                THEN 1
                ELSE 0
              END AS BIGINT)
            ) AS "observed_after",
            MAX("t16"."end") FILTER(WHERE
              "t16"."start" <= (
                "t16"."index_date" - INTERVAL '365' DAY
              )) AS "last_day",
            MIN("t16"."start") FILTER(WHERE
              "t16"."start" <= (
                "t16"."index_date" - INTERVAL '365' DAY
              )) AS "first_day"
          FROM (
            SELECT
              *
            FROM (
              SELECT
                "t9"."observed_id",
                "t9"."start",
                "t9"."end",
                "t14"."person_id",
                "t14"."index_date"
              FROM (
                SELECT
                  "t3"."person_id" AS "observed_id",
                  "t3"."observation_period_start_date" AS "start",
                  "t3"."observation_period_end_date" AS "end"
                FROM "cdm"."observation_period" AS "t3"
                WHERE
                  "t3"."person_id" BETWEEN 1 AND 1000000
              ) AS "t9"
              INNER JOIN "t11" AS "t14"
                ON "t9"."observed_id" = "t14"."person_id"
            ) AS "t15"
            WHERE
              "t15"."start" <= "t15"."index_date" AND "t15"."end" >= "t15"."index_date"
          ) AS "t16"
          GROUP BY
            1
        ) AS "t18"
          ON "t13"."person_id" = "t18"."observed_id"
      ) AS "t19"
      WHERE
        "t19"."in_person" = 1
        AND "t19"."of_age" = 1
        AND "t19"."observed" = 1
        AND "t19"."observed_before" = 1
        AND "t19"."observed_after" = 1
    ) AS "t21"
      ON "t10"."person_id" = "t21"."member"
  ) AS "t22"
  WHERE
    "t22"."date" <= (
      "t22"."index_date" - INTERVAL '31' DAY
    )
    AND "t22"."date" >= (
      "t22"."index_date" - INTERVAL '365' DAY
    )
)
SELECT
  *
FROM (
  SELECT
    "t29"."person_id",
    "t29"."concept_id",
    "t29"."unit",
    MIN("t29"."value") AS "value"
  FROM (
    SELECT
      "t25"."person_id",
      "t25"."concept_id",
      "t25"."date",
      "t25"."unit",
      "t25"."value",
      "t25"."member",
      "t25"."index_date",
      "t28"."last_person",
      "t28"."last_concept",
      "t28"."last_unit",
      "t28"."last"
    FROM "t23" AS "t25"
    INNER JOIN (
      SELECT
        "t26"."person_id" AS "last_person",
        "t26"."concept_id" AS "last_concept",
        "t26"."unit" AS "last_unit",
        "t26"."last"
      FROM (
        SELECT
          "t24"."person_id",
          "t24"."concept_id",
          "t24"."unit",
          MAX("t24"."date") AS "last"
        FROM "t23" AS "t24"
        GROUP BY
          1,
          2,
          3
      ) AS "t26"
    ) AS "t28"
      ON "t25"."person_id" = "t28"."last_person"
      AND "t25"."concept_id" = "t28"."last_concept"
      AND "t25"."unit" = "t28"."last_unit"
      AND "t25"."date" = "t28"."last"
  ) AS "t29"
  GROUP BY
    1,
    2,
    3
) AS "t30"
ORDER BY
  "t30"."person_id" ASC,
  "t30"."concept_id" ASC,
  "t30"."unit" ASC;

-- entries into cohorts
SELECT
  COUNT(*) AS "total"
FROM (
  SELECT
    *
  FROM "cdm"."cohort" AS "t0"
  WHERE
    "t0"."cohort_definition_id" IN (7, 8)
) AS "t1";

