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
      CAST(FLOOR(CAST("t2"."person_id" AS DOUBLE PRECISION) / 245) AS BIGINT) AS "strip"
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
      "t1"."condition_concept_id" AS "concept_id",
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
    1 AS "new",
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
            "t16"."index_date" - INTERVAL '365 DAY'
          )
          THEN 1
          ELSE 0
        END AS BIGINT)
      ) AS "observed_before",
      MAX(
        CAST(CASE
          WHEN (
            "t16"."start" <= (
              "t16"."index_date" - INTERVAL '365 DAY'
            )
          )
          AND (
            "t16"."end" >= (
              "t16"."index_date" + INTERVAL '365 DAY'
            )
          )
          THEN 1
          ELSE 0
        END AS BIGINT)
      ) AS "observed_after",
      MAX("t16"."end") FILTER(WHERE
        "t16"."start" <= (
          "t16"."index_date" - INTERVAL '365 DAY'
        )) AS "last_day"
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
              "t14"."index_date" + INTERVAL '1 DAY'
            )
          )
          AND (
            "t14"."date" <= (
              "t14"."index_date" + INTERVAL '365 DAY'
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
            "t14"."index_date" + INTERVAL '1 DAY'
          )
        )
        AND (
          "t14"."date" <= (
            "t14"."index_date" + INTERVAL '365 DAY'
          )
        )) AS "first_outcome"
    FROM (
      SELECT
        "t8"."outcome_id",
        "t8"."concept_id",
        "t8"."date",
        "t13"."person_id",
        "t13"."index_date"
      FROM (
        SELECT
          "t1"."person_id" AS "outcome_id",
          "t1"."condition_concept_id" AS "concept_id",
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
      "t1"."condition_concept_id" AS "concept_id",
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
    CAST(CASE WHEN COALESCE("t18"."until_index", 0) = 0 THEN 1 ELSE 0 END AS BIGINT) AS "new",
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
            "t16"."index_date" - INTERVAL '365 DAY'
          )
          THEN 1
          ELSE 0
        END AS BIGINT)
      ) AS "observed_before",
      MAX(
        CAST(CASE
          WHEN (
            "t16"."start" <= (
              "t16"."index_date" - INTERVAL '365 DAY'
            )
          )
          AND (
            "t16"."end" >= (
              "t16"."index_date" + INTERVAL '365 DAY'
            )
          )
          THEN 1
          ELSE 0
        END AS BIGINT)
      ) AS "observed_after",
      MAX("t16"."end") FILTER(WHERE
        "t16"."start" <= (
          "t16"."index_date" - INTERVAL '365 DAY'
        )) AS "last_day"
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
              "t14"."index_date" + INTERVAL '1 DAY'
            )
          )
          AND (
            "t14"."date" <= (
              "t14"."index_date" + INTERVAL '365 DAY'
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
            "t14"."index_date" + INTERVAL '1 DAY'
          )
        )
        AND (
          "t14"."date" <= (
            "t14"."index_date" + INTERVAL '365 DAY'
          )
        )) AS "first_outcome"
    FROM (
      SELECT
        "t8"."outcome_id",
        "t8"."concept_id",
        "t8"."date",
        "t13"."person_id",
        "t13"."index_date"
      FROM (
        SELECT
          "t1"."person_id" AS "outcome_id",
          "t1"."condition_concept_id" AS "concept_id",
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
      "t0"."condition_concept_id" AS "concept_id",
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
            COALESCE("t17"."observed_after", 0) AS "observed_after",
            1 AS "new"
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
                    "t15"."index_date" - INTERVAL '365 DAY'
                  )
                  THEN 1
                  ELSE 0
                END AS BIGINT)
              ) AS "observed_before",
              MAX(
                CAST(CASE
                  WHEN (
                    "t15"."start" <= (
                      "t15"."index_date" - INTERVAL '365 DAY'
                    )
                  )
                  AND (
                    "t15"."end" >= (
                      "t15"."index_date" + INTERVAL '365 DAY'
                    )
                  )
                  THEN 1
                  ELSE 0
                END AS BIGINT)
              ) AS "observed_after",
              MAX("t15"."end") FILTER(WHERE
                "t15"."start" <= (
                  "t15"."index_date" - INTERVAL '365 DAY'
                )) AS "last_day"
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
          AND "t18"."new" = 1
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
      "t2"."condition_concept_id" AS "concept_id",
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
            COALESCE("t18"."observed_after", 0) AS "observed_after",
            1 AS "new"
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
                    "t16"."index_date" - INTERVAL '365 DAY'
                  )
                  THEN 1
                  ELSE 0
                END AS BIGINT)
              ) AS "observed_before",
              MAX(
                CAST(CASE
                  WHEN (
                    "t16"."start" <= (
                      "t16"."index_date" - INTERVAL '365 DAY'
                    )
                  )
                  AND (
                    "t16"."end" >= (
                      "t16"."index_date" + INTERVAL '365 DAY'
                    )
                  )
                  THEN 1
                  ELSE 0
                END AS BIGINT)
              ) AS "observed_after",
              MAX("t16"."end") FILTER(WHERE
                "t16"."start" <= (
                  "t16"."index_date" - INTERVAL '365 DAY'
                )) AS "last_day"
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
          AND "t19"."new" = 1
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

